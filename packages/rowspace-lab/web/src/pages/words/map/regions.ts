// What is drawn between the points of the map: the names of clusters where their rows are, and the lines of an analogy.

import { tokenText } from "../../../format";
import type { Region } from "../../../map/map";

const SAMPLE = 4000;

/** Each cluster at its row that is nearest to the median of their positions, with its name. */
export function regionsOf(
  clusters: ArrayLike<number>,
  names: readonly (readonly string[])[],
  xy: ArrayLike<number>,
): Region[] {
  const every = Math.max(1, Math.ceil(clusters.length / (SAMPLE * names.length)));
  const places = names.map((): [number[], number[]] => [[], []]);
  for (let id = 0; id < clusters.length; id += every) {
    const inside = places[clusters[id] as number];
    if (!inside || !Number.isFinite(xy[2 * id]! + xy[2 * id + 1]!)) continue;
    inside[0].push(xy[2 * id] as number);
    inside[1].push(xy[2 * id + 1] as number);
  }
  return places.flatMap(([x, y], at) => {
    const name = (names[at] ?? []).map(tokenText).join(" · ");
    if (!x.length || !name) return [];
    const [middleX, middleY] = [median(x), median(y)];
    const far = (index: number): number => Math.hypot(x[index]! - middleX, y[index]! - middleY);
    const nearest = x.reduce((best, _, index) => (far(index) < far(best) ? index : best), 0);
    return [{ name, x: x[nearest]!, y: y[nearest]! }];
  });
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number;
}

/** The lines of a graph's edges: x, y, x, y each; `edges` are pairs of ids, and those without a position are left out. */
export function edgeLinks(edges: ArrayLike<number>, xy: ArrayLike<number>): Float32Array {
  const lines: number[] = [];
  for (let at = 0; at + 1 < edges.length; at += 2) {
    const [one, other] = [edges[at]!, edges[at + 1]!];
    const line = [xy[2 * one], xy[2 * one + 1], xy[2 * other], xy[2 * other + 1]].map((place) => place ?? NaN);
    if (line.every(Number.isFinite)) lines.push(...line);
  }
  return Float32Array.from(lines);
}

/** The sides a-b-d-c of the figure that the words make; no lines if one of them has no position. */
export function analogyPaths(ids: readonly number[], xy: ArrayLike<number>): Float32Array[] {
  const places = ids.map((id) => [xy[2 * id] ?? NaN, xy[2 * id + 1] ?? NaN]);
  if (ids.length !== 4 || ids.some((id) => id < 0) || !places.flat().every(Number.isFinite)) return [];
  const [a, b, c, d] = places as [number[], number[], number[], number[]];
  return [Float32Array.from([...a, ...b, ...d, ...c, ...a])];
}
