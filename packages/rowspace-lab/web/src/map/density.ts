// Size and opacity of the points, from their density.
//
// Each pixel sums the weights w of its points and shows their mean color with opacity 1 - exp(-strength · w): a single
// point is visible, and ten points on a pixel differ from a hundred. Both backends follow this rule.

import type { Points } from "./points";
import type { Camera } from "./camera";

const COVER = 0.5;
const LARGEST = 8;
const [WEAKEST, STRONGEST] = [0.3, 2];

export interface Pen {
  /** In device pixels, an integer. */
  diameter: number;
  /** The opacity of a pixel is 1 - exp(-strength · weight), once all points are drawn. */
  strength: number;
}

/** The pen for all points; `pixels` is the number of device pixels per CSS pixel. */
export function penFor(points: Points, camera: Camera, pixels: number): Pen {
  const { left, right, bottom, top } = points.box;
  const area = Math.max(right - left, 1e-30) * Math.max(top - bottom, 1e-30) * (camera.scale * pixels) ** 2;
  const each = area / Math.max(points.count, 1);
  const diameter = Math.round(Math.min(Math.max(Math.sqrt(COVER * each), pixels), LARGEST * pixels));
  const overlap = diameter ** 2 / Math.max(each, 1e-30);
  return { diameter, strength: Math.min(Math.max(STRONGEST / overlap, WEAKEST), STRONGEST) };
}

/** The strength while only `drawn` of `count` points are drawn: each counts for several. */
export function strengthFor(pen: Pen, drawn: number, count: number): number {
  return Math.min((pen.strength * count) / Math.max(drawn, 1), STRONGEST);
}
