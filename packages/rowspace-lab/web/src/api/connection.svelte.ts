// Tracks whether the server responds and is still the instance that the page was loaded from. Each response has the id of
// the instance; see packages/rowspace-lab/src/rowspace_lab/server/security.py.

import { transport } from "./transport";

type Problem = "unreachable" | "refused" | "restarted";

const HEADER = "X-Rowspace-Instance";
const PROBE = "/api/instance";
// ms between two probes
const INTERVAL = 10_000;
const RETRY_INTERVAL = 2000;

class Connection {
  problem = $state<Problem>();
  /** Counts reconnections to the same server, after which resources load again. */
  recovered = $state(0);
  #instance: string | null = null;
  #probing = false;
  #watched = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Update the state from a response. */
  heard(response: Response): void {
    const instance = response.headers.get(HEADER);
    if (!instance) return; // from an older server
    this.#instance ??= instance;
    if (response.status === 403) this.problem = "refused";
    else if (instance !== this.#instance) this.problem = "restarted";
    else if (this.problem) {
      this.problem = undefined;
      this.recovered++;
    }
  }

  /** Update the state after a request without response. */
  failed(): void {
    if (this.problem) return;
    this.problem = "unreachable";
    this.#schedule(); // sooner than planned
  }

  /** Check whether the server responds. */
  async probe(): Promise<void> {
    if (!this.#instance || this.#probing || document.hidden) return;
    this.#probing = true;
    await transport.fetch(PROBE).then(
      (response) => this.heard(response),
      () => this.failed(),
    );
    this.#probing = false;
  }

  /** Probe at intervals and when the page becomes visible. Returns a function that stops this. */
  watch(): () => void {
    const probe = () => void this.probe();
    this.#watched = true;
    this.#schedule();
    document.addEventListener("visibilitychange", probe);
    addEventListener("online", probe);
    return () => {
      this.#watched = false;
      clearTimeout(this.#timer);
      document.removeEventListener("visibilitychange", probe);
      removeEventListener("online", probe);
    };
  }

  #schedule(): void {
    if (!this.#watched) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => void this.probe().then(() => this.#schedule()),
      this.problem ? RETRY_INTERVAL : INTERVAL,
    );
  }
}

export const connection = new Connection();
