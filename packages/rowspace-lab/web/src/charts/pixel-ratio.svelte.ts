// The pixels that canvases draw for each pixel of CSS: those of the screen, and more while a picture is saved.

import { tick } from "svelte";

class PixelRatio {
  /** What pictures ask for. */
  least = $state(1);
  #settled = new Set<() => Promise<void>>();

  get value(): number {
    return Math.max(this.least, devicePixelRatio || 1);
  }

  /** Call `use` while canvases draw at least `least` pixels for each of CSS. */
  async withAtLeast<Result>(least: number, use: () => Promise<Result>): Promise<Result> {
    this.least = least;
    try {
      await this.drawn();
      return await use();
    } finally {
      this.least = 1;
    }
  }

  /** Resolves when the page and its canvases show what the state is now. */
  async drawn(): Promise<void> {
    await tick();
    await Promise.all([...this.#settled].map((settled) => settled()));
  }

  /** Let pictures wait for a canvas that takes several frames to draw; returns what ends this. */
  waitFor(settled: () => Promise<void>): () => void {
    this.#settled.add(settled);
    return () => this.#settled.delete(settled);
  }
}

export const pixelRatio = new PixelRatio();
