// Whether what is shown still comes from the server that answers now. The server names its instance in each response;
// see src/rowspace/lab/server/security.py.

type Problem = "unreachable" | "refused" | "restarted";

const HEADER = "X-Rowspace-Instance";
const PROBE = "/api/instance";
const [CALM, LOST] = [10_000, 2000]; // ms between two probes

class Connection {
  problem = $state<Problem>();
  /** Counts the times that the same server answered again: questions that failed meanwhile are asked again. */
  recovered = $state(0);
  #instance: string | null = null;
  #probing = false;
  #watched = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Take in what a response says of its server. */
  heard(response: Response): void {
    const instance = response.headers.get(HEADER);
    if (!instance) return; // a server that does not say
    this.#instance ??= instance;
    if (response.status === 403) this.problem = "refused";
    else if (instance !== this.#instance) this.problem = "restarted";
    else if (this.problem) {
      this.problem = undefined;
      this.recovered++;
    }
  }

  /** There was no response. */
  failed(): void {
    if (this.problem) return;
    this.problem = "unreachable";
    this.#later(); // sooner than was planned
  }

  /** Ask whether the server is still there. */
  async probe(): Promise<void> {
    if (!this.#instance || this.#probing || document.hidden) return;
    this.#probing = true;
    await fetch(PROBE).then(
      (response) => this.heard(response),
      () => this.failed(),
    );
    this.#probing = false;
  }

  /** Probe from now on: when the page is shown again, and from time to time. Returns what ends that. */
  watch(): () => void {
    const probe = () => void this.probe();
    this.#watched = true;
    this.#later();
    document.addEventListener("visibilitychange", probe);
    addEventListener("online", probe);
    return () => {
      this.#watched = false;
      clearTimeout(this.#timer);
      document.removeEventListener("visibilitychange", probe);
      removeEventListener("online", probe);
    };
  }

  #later(): void {
    if (!this.#watched) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.probe().then(() => this.#later()), this.problem ? LOST : CALM);
  }
}

export const connection = new Connection();
