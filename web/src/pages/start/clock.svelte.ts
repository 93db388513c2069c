// The time of the figure, in stations: at 2.5, two stations are complete and the third one is half way.

import { MediaQuery } from "svelte/reactivity";

const STATION_DURATION = 1250; // ms

export class Clock {
  time = $state(0);
  playing = $state(false);
  readonly #end: number;
  #started = false;

  /** Call this while a component is initialized. With reduced motion, the clock stands at the end. */
  constructor(end: number) {
    this.#end = end;
    const still = new MediaQuery("(prefers-reduced-motion: reduce)");
    $effect(() => {
      if (still.current) this.scrub(end);
    });
    $effect(() => {
      if (!this.playing) return;
      let [frame, last] = [0, performance.now()];
      const advance = (now: number) => {
        this.time = Math.min(end, this.time + Math.max(0, now - last) / STATION_DURATION);
        last = now;
        if (this.time >= end) this.playing = false;
        else frame = requestAnimationFrame(advance);
      };
      frame = requestAnimationFrame(advance);
      return () => cancelAnimationFrame(frame);
    });
  }

  /** Play from the start, the first time that this is called; not after the user has moved the clock. */
  begin(): void {
    if (!this.#started) this.play();
  }

  /** Play from here, or from the start if this is the end. */
  play(): void {
    this.#started = true;
    if (this.time >= this.#end) this.time = 0;
    this.playing = true;
  }

  pause(): void {
    this.playing = false;
  }

  scrub(time: number): void {
    this.#started = true;
    this.playing = false;
    this.time = Math.max(0, Math.min(this.#end, time));
  }

  /** Move to the end of the previous or the next station. */
  step(by: number): void {
    this.scrub(by > 0 ? Math.floor(this.time) + 1 : Math.ceil(this.time) - 1);
  }
}
