// Films of figures that move: what a page offers, and the GIF that is made of it.

import { getContext, setContext } from "svelte";
import { pixelRatio } from "../charts/pixel-ratio.svelte";
import { Gif } from "./gif";
import { canvasOf, pictureOf } from "./picture";

export interface Film {
  name: string;
  frames: number;
  /** How long a frame is shown, in ms; and the first one, if it is longer. */
  duration: number;
  first?: number;
  /** Show a frame, from 0. */
  show(frame: number): void;
  /** What is filmed; the whole figure by default. */
  element?: () => Element | undefined;
  /** Show again what was shown before. */
  end(): void;
}

const KEY = Symbol("films");
const WIDEST = 900; // px
const LAST = 2000; // ms that the last frame is shown

/** Where the figures of a page leave their film. */
export class Films {
  film = $state.raw<Film>();
}

export function collectFilms(): Films {
  return setContext(KEY, new Films());
}

/**
 * Offer the film of a figure for saving; undefined while there is none.
 *
 * Call this while a component inside `Page` is initialized.
 */
export function offerFilm(film: () => Film | undefined): void {
  const films = getContext<Films>(KEY);
  $effect(() => {
    films.film = film();
    return () => (films.film = undefined);
  });
}

/** Play a film, and write what it shows, by default in `whole`, as a GIF; `progress` is told the share that is done. */
export async function gifOf(film: Film, whole: Element, progress: (share: number) => void): Promise<Blob> {
  const gif = new Gif();
  const root = film.element?.() ?? whole;
  const scale = Math.min(1, WIDEST / root.getBoundingClientRect().width);
  let canvas: HTMLCanvasElement | undefined;
  try {
    for (let frame = 0; frame < film.frames; frame++) {
      film.show(frame);
      await pixelRatio.drawn();
      await new Promise(requestAnimationFrame); // the page stays responsive
      if (!root.isConnected) throw new Error("its page was closed");
      const shown = await canvasOf(await pictureOf(root), scale);
      canvas ??= shown; // its size is that of all frames
      gif.add(pixelsOf(shown, canvas.width, canvas.height), durationOf(film, frame));
      progress((frame + 1) / film.frames);
    }
  } finally {
    film.end();
  }
  return gif.file();
}

const pixelsOf = (canvas: HTMLCanvasElement, width: number, height: number): ImageData =>
  canvas.getContext("2d")!.getImageData(0, 0, width, height);

function durationOf({ frames, duration, first = duration }: Film, frame: number): number {
  if (frame === frames - 1) return LAST;
  return frame ? duration : first;
}
