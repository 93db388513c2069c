// A lasso is stored in the URL as its corners and its map. The words inside are computed from these.

import { contains } from "../../../map/point-index";
import type { UrlCodec } from "../../../state/url-codecs";

export interface Lasso {
  /** The map and its parameter, such as "pca" or "tsne-30". */
  on: string;
  polygon: [number, number][];
}

/** Longer paths are thinned out. */
const MAX_CORNERS = 120;
const DIGITS = 5;

/** A lasso with few, rounded corners, as a round trip through the URL gives it. */
export function lassoOf(on: string, path: readonly [number, number][]): Lasso | null {
  const count = Math.min(path.length, MAX_CORNERS);
  const polygon = Array.from({ length: count }, (_, at) => path[Math.floor((at * path.length) / count)]!);
  return count < 3 ? null : { on, polygon: polygon.map(([x, y]) => [rounded(x), rounded(y)]) };
}

/** `pca:0.5,1;2,3;4,5`; null: no lasso. */
export const lasso: UrlCodec<Lasso | null> = {
  read: ([text = ""]) => {
    const [on = "", corners = ""] = text.split(":");
    const polygon = corners.split(";").map((corner) => corner.split(",").map(Number));
    const whole = polygon.every((corner) => corner.length === 2 && corner.every(Number.isFinite));
    return whole && polygon.length >= 3 ? { on, polygon: polygon as [number, number][] } : null;
  },
  write: (held) => (held ? [`${held.on}:${held.polygon.map((corner) => corner.join()).join(";")}`] : []),
};

/** Ascending ids of the positions (count, 2) inside the lasso. */
export function inside(xy: ArrayLike<number>, { polygon }: Lasso): Uint32Array {
  const [left, right] = [Math.min(...polygon.map(([x]) => x)), Math.max(...polygon.map(([x]) => x))];
  const found = new Uint32Array(xy.length / 2);
  let size = 0;
  for (let id = 0; id < found.length; id++) {
    const [x, y] = [xy[2 * id]!, xy[2 * id + 1]!];
    if (x >= left && x <= right && contains(polygon, x, y)) found[size++] = id;
  }
  return found.slice(0, size);
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
