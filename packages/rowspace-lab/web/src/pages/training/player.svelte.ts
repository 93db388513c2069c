// Replays the recorded steps of a run: play, pause, scrub, speed. While a run is trained, the newest step is shown.

const FRAME_DURATION = 200; // ms at speed 1: the film of a run takes five seconds

export class Player {
  speed = $state(1);
  playing = $state(false);
  /** The index of the step that the user has chosen; null follows the newest. */
  #chosen = $state<number | null>(null);
  #count: () => number;

  /** `count` is the number of recorded steps. Call this while a component is initialized. */
  constructor(count: () => number) {
    this.#count = count;
    $effect(() => {
      if (!this.playing) return;
      const timer = setInterval(() => this.#advance(), this.duration);
      return () => clearInterval(timer);
    });
  }

  get index(): number {
    const last = Math.max(0, this.#count() - 1);
    return Math.min(this.#chosen ?? last, last);
  }

  /** How long a step is shown, in ms. */
  get duration(): number {
    return FRAME_DURATION / this.speed;
  }

  /** Play from here, or from the start if this is the end. */
  play(): void {
    if (this.index >= this.#count() - 1) this.#chosen = 0;
    this.playing = true;
  }

  pause(): void {
    this.playing = false;
  }

  scrub(index: number): void {
    this.playing = false;
    this.#chosen = index >= this.#count() - 1 ? null : index;
  }

  #advance(): void {
    const next = this.index + 1;
    if (next >= this.#count() - 1) {
      this.#chosen = null;
      this.playing = false;
    } else this.#chosen = next;
  }
}
