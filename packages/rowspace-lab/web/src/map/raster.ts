// The backend without WebGL: sums points into an array of floats and copies it to the canvas as one image. Writing to an
// array instead of filling paths makes a million points feasible. The arithmetic is that of shaders.ts.

import type { Backend, Frame } from "./backend";
import { DEFAULT_SIZE, type Points } from "./points";

const STEPS = 2048;
const MAX_EXPONENT = 8;

/** The opacity of a pixel, 0 … 255, for strength · weight from 0 to MAX_EXPONENT. */
const OPACITY = Uint8Array.from({ length: STEPS }, (_, i) => {
  return Math.round(255 * (1 - Math.exp((-(i + 0.5) * MAX_EXPONENT) / STEPS)));
});

export function openRaster(canvas: HTMLCanvasElement): Backend {
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("this canvas already has a context of another type; the map needs its own canvas");
  return new Raster(context);
}

class Raster implements Backend {
  readonly name = "canvas2d";
  private context: CanvasRenderingContext2D;
  private width = 0;
  private height = 0;
  /** (height, width, 4): red, green, blue, each times weight, and weight. */
  private sums = new Float32Array(0);
  private image = new ImageData(1, 1);

  constructor(context: CanvasRenderingContext2D) {
    this.context = context;
  }

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.sums = new Float32Array(4 * width * height);
    this.image = new ImageData(width, height);
  }

  uploadPositions(): void {}
  uploadAppearance(): void {}

  begin(): void {
    this.sums.fill(0);
  }

  add(points: Points, frame: Frame, first: number, last: number): void {
    const { to, from, progress, sizes } = points;
    const { x: middleX, y: middleY, scale, diameter } = frame;
    const [halfWidth, halfHeight] = [this.width / 2, this.height / 2];
    for (let slot = first; slot < last; slot++) {
      const size = sizes[slot]!;
      if (size === 0) continue;
      let [x, y] = [to[2 * slot]!, to[2 * slot + 1]!];
      if (progress < 1) {
        x = from[2 * slot]! + (x - from[2 * slot]!) * progress;
        y = from[2 * slot + 1]! + (y - from[2 * slot + 1]!) * progress;
      }
      const across = size === DEFAULT_SIZE ? diameter : Math.max(1, Math.floor((diameter * size) / DEFAULT_SIZE + 0.5));
      this.stamp((x - middleX) * scale + halfWidth, (middleY - y) * scale + halfHeight, across, points.paint, 4 * slot);
    }
  }

  show(strength: number): void {
    const { sums, image } = this;
    const perWeight = (strength * STEPS) / MAX_EXPONENT;
    const pixels = new Uint32Array(image.data.buffer);
    for (let pixel = 0, at = 0; pixel < pixels.length; pixel++, at += 4) {
      const weight = sums[at + 3]!;
      if (weight === 0) {
        pixels[pixel] = 0;
        continue;
      }
      const alpha = OPACITY[Math.min(weight * perWeight, STEPS - 1) | 0]!;
      const red = sums[at]! / weight + 0.5;
      const green = sums[at + 1]! / weight + 0.5;
      const blue = sums[at + 2]! / weight + 0.5;
      pixels[pixel] = (alpha << 24) | (blue << 16) | (green << 8) | red; // browsers only run on little-endian machines
    }
    this.context.putImageData(image, 0, 0);
  }

  destroy(): void {
    this.resize(1, 1);
  }

  /** Add a square of 1 or 2 pixels, or a disc with a smooth edge. */
  private stamp(x: number, y: number, across: number, paint: Uint8Array, at: number): void {
    const { width, height } = this;
    const left = Math.floor(x - across / 2 + 0.5);
    const top = Math.floor(y - across / 2 + 0.5);
    if (!(left < width && top < height && left + across > 0 && top + across > 0)) return;
    const weight = paint[at + 3]! / 255;
    const [right, bottom] = [Math.min(left + across, width), Math.min(top + across, height)];
    for (let row = Math.max(top, 0); row < bottom; row++) {
      for (let column = Math.max(left, 0); column < right; column++) {
        const inside = across > 2 ? across / 2 + 0.5 - Math.hypot(column + 0.5 - x, row + 0.5 - y) : 1;
        if (inside > 0) this.sum(4 * (row * width + column), weight * Math.min(inside, 1), paint, at);
      }
    }
  }

  private sum(pixel: number, share: number, paint: Uint8Array, at: number): void {
    this.sums[pixel]! += paint[at]! * share;
    this.sums[pixel + 1]! += paint[at + 1]! * share;
    this.sums[pixel + 2]! += paint[at + 2]! * share;
    this.sums[pixel + 3]! += share;
  }
}
