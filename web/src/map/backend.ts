// What a backend does: sums points into pixels, piece by piece, and shows the sums.
//
// Two do it, by the same arithmetic: webgl.ts on a graphics processor (or its software stand-in) and raster.ts with
// plain arrays, for browsers that have no WebGL at all. Neither knows of views, labels or gestures.

import type { Points } from "./points";
import { openRaster } from "./raster";
import { openWebGL, webglServes } from "./webgl";

export type BackendName = "webgl2" | "canvas2d";

/** The data point at the middle of the canvas, device pixels for one unit, a point's diameter in device pixels. */
export interface Frame {
  x: number;
  y: number;
  scale: number;
  diameter: number;
}

export interface Backend {
  readonly name: BackendName;
  /** The canvas has a new size in device pixels. */
  resize(width: number, height: number): void;
  /** Positions, or colors and sizes, have changed. */
  takePositions(points: Points): void;
  takeLooks(points: Points): void;
  /** Empties the sums. */
  begin(): void;
  /** Adds the points of slots first … last - 1. */
  add(points: Points, frame: Frame, first: number, last: number): void;
  /** Makes the sums visible. */
  show(strength: number): void;
  destroy(): void;
}

/** `restored` is called when a lost graphics context has come back and must be given everything again. */
export function openBackend(canvas: HTMLCanvasElement, wish: BackendName | "auto", restored: () => void): Backend {
  const webgl = wish === "webgl2" || (wish === "auto" && webglServes());
  return webgl ? openWebGL(canvas, restored) : openRaster(canvas);
}
