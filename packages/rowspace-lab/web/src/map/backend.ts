// A backend sums points into pixels, in several steps, and shows the sums. Two backends share the same arithmetic:
// webgl.ts on a GPU, and raster.ts with plain arrays for browsers without WebGL.

import type { Points } from "./points";

export type BackendName = "webgl2" | "canvas2d";

/** The data coordinates at the center of the canvas, device pixels per unit, a point's diameter in device pixels. */
export interface Frame {
  x: number;
  y: number;
  scale: number;
  diameter: number;
}

export interface Backend {
  readonly name: BackendName;
  /** Set the size of the canvas in device pixels. */
  resize(width: number, height: number): void;
  /** Upload positions, or colors and sizes, after a change. */
  uploadPositions(points: Points): void;
  uploadAppearance(points: Points): void;
  /** Clear the sums. */
  begin(): void;
  /** Add the points of slots first … last - 1. */
  add(points: Points, frame: Frame, first: number, last: number): void;
  /** Show the sums on the canvas. */
  show(strength: number): void;
  destroy(): void;
}
