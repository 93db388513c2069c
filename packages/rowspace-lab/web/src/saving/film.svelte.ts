// Films of figures that move: what a page offers, and the GIF that is made of it.

import { applyPalette, GIFEncoder, quantize } from "gifenc";
import { getContext, setContext, tick } from "svelte";
import { canvasOf, pictureOf } from "./picture";

export interface Film {
  name: string;
  frames: number;
  /** How long a frame is shown, in ms. */
  duration: number;
  /** Show a frame, from 0. */
  show(frame: number): void;
  /** What is filmed; the whole figure by default. */
  element?: () => Element | undefined;
  /** Show again what was shown before. */
  end(): void;
}

const KEY = Symbol("films");
const COLORS = 256;
const WIDEST = 900; // px
const LAST = 1500; // ms that the last frame is shown

/** Where the figures of a page leave their film. */
export class Films {
  film = $state.raw<Film>();
}

export function collectFilms(): Films {
  return setContext(KEY, new Films());
}

/** Offer the film of a figure for saving; undefined while there is none. Call this while a component is initialized. */
export function offerFilm(film: () => Film | undefined): void {
  const films = getContext<Films | undefined>(KEY);
  $effect(() => {
    if (!films) return;
    films.film = film();
    return () => (films.film = undefined);
  });
}

/** Play a film, and write what it shows, by default in `whole`, as a GIF; `progress` is told the share that is done. */
export async function gifOf(film: Film, whole: Element, progress: (share: number) => void): Promise<Blob> {
  const encoder = GIFEncoder();
  const root = film.element?.() ?? whole;
  const scale = Math.min(1, WIDEST / root.getBoundingClientRect().width);
  try {
    for (let frame = 0; frame < film.frames; frame++) {
      film.show(frame);
      await tick();
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      const canvas = await canvasOf(await pictureOf(root), scale);
      const { data, width, height } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      const palette = quantize(data, COLORS);
      const delay = frame === film.frames - 1 ? LAST : film.duration;
      encoder.writeFrame(applyPalette(data, palette), width, height, { palette, delay, repeat: 0 });
      progress((frame + 1) / film.frames);
    }
  } finally {
    film.end();
  }
  encoder.finish();
  return new Blob([encoder.bytes()], { type: "image/gif" });
}
