// The time of the figure, in stations: at 2.5, two stations are complete and the third one is half way.

import { MediaQuery } from "svelte/reactivity";

export const STATION_DURATION = 1250; // ms

export class Clock {
  time = $state(0);
  playing = $state(false);
  readonly #end: number;

  /**
   * Play once; with reduced motion, stand at the end. Call this while a component is initialized.
   *
   * `ready` is the number of stations that can be shown; the clock waits for the others.
   */
  constructor(end: number, ready: () => number) {
    this.#end = end;
    const still = new MediaQuery("(prefers-reduced-motion: reduce)");
    this.playing = !still.current;
    $effect.pre(() => {
      if (still.current) this.scrub(end);
    });
    $effect(() => {
      if (!this.playing) return;
      let [frame, last] = [0, performance.now()];
      const advance = (now: number) => {
        const moved = this.time + Math.max(0, now - last) / STATION_DURATION;
        this.time = Math.max(this.time, Math.min(end, ready(), moved));
        last = now;
        if (this.time >= end) this.playing = false;
        else frame = requestAnimationFrame(advance);
      };
      frame = requestAnimationFrame(advance);
      return () => cancelAnimationFrame(frame);
    });
  }

  /** Play from here, or from the start if this is the end. */
  play(): void {
    if (this.time >= this.#end) this.time = 0;
    this.playing = true;
  }

  pause(): void {
    this.playing = false;
  }

  scrub(time: number): void {
    this.playing = false;
    this.time = Math.max(0, Math.min(this.#end, time));
  }

  /** Move to the end of the previous or the next station. */
  step(by: number): void {
    this.scrub(by > 0 ? Math.floor(this.time) + 1 : Math.ceil(this.time) - 1);
  }
}
