// How large a point is and how dark, from how crowded the picture is.
//
// Each pixel sums the weights of the points on it, w, and shows their mean color with opacity 1 - exp(-strength · w):
// one point is visible, and ten on one pixel differ from a hundred. Both backends draw by this one rule.

import type { Points } from "./points";
import type { View } from "./camera";

const COVER = 0.5;
const LARGEST = 8;
const [WEAKEST, STRONGEST] = [0.3, 2];

export interface Pen {
  /** Whole device pixels. */
  diameter: number;
  /** Opacity of a pixel is 1 - exp(-strength · weight), once all points are on it. */
  strength: number;
}

/** The pen for all points at this view; pixels is the number of device pixels in a CSS pixel. */
export function penFor(points: Points, view: View, pixels: number): Pen {
  const { left, right, bottom, top } = points.box;
  const area = Math.max(right - left, 1e-30) * Math.max(top - bottom, 1e-30) * (view.scale * pixels) ** 2;
  const each = area / Math.max(points.count, 1);
  const diameter = Math.round(Math.min(Math.max(Math.sqrt(COVER * each), pixels), LARGEST * pixels));
  const overlap = diameter ** 2 / Math.max(each, 1e-30);
  return { diameter, strength: Math.min(Math.max(STRONGEST / overlap, WEAKEST), STRONGEST) };
}

/** While only `drawn` of `count` points are on the picture, each stands for several. */
export function strengthFor(pen: Pen, drawn: number, count: number): number {
  return Math.min((pen.strength * count) / Math.max(drawn, 1), STRONGEST);
}
