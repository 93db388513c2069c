// Answers at their angles from b - a + c, and a, b and c moved among the words of a map.

import type { Point } from "../../charts/scales";

export interface Ray {
  /** The angle from the target in degrees, alternately above (positive) and below it. */
  degrees: number;
  x: number;
  y: number;
}

const DEGREES = 180 / Math.PI;

/** The angle of a cosine in degrees. */
export function angleOf(cosine: number): number {
  return Math.acos(Math.max(-1, Math.min(1, cosine))) * DEGREES;
}

/** Points on the arc with `radius` around `origin`: the target lies to the right, answers alternate around it. */
export function fan(cosines: readonly number[], origin: readonly [number, number], radius: number): Ray[] {
  return cosines.map((cosine, at) => {
    const degrees = angleOf(cosine) * (at % 2 ? -1 : 1);
    const [x, y] = [Math.cos(degrees / DEGREES), Math.sin(degrees / DEGREES)];
    return { degrees, x: origin[0] + radius * x, y: origin[1] - radius * y };
  });
}

/** The index of the word nearest to a position; -1 without words. */
export function nearestWord(places: readonly Point[], [x, y]: Point): number {
  let best = -1;
  let least = Infinity;
  places.forEach(([left, top], at) => {
    const far = (left - x) ** 2 + (top - y) ** 2;
    if (far < least) [best, least] = [at, far];
  });
  return best;
}

/** The nearest other word in the direction of an arrow key, or -1 if there is none. */
export function wordBeside(places: readonly Point[], from: number, key: string): number {
  const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  const start = places[from];
  if (!direction || !start) return -1;
  const ahead = places.map(([x, y]): Point => {
    const along = (x - start[0]) * direction[0]! + (y - start[1]) * direction[1]!;
    return along > 0.5 ? [x, y] : [Infinity, Infinity];
  });
  const found = nearestWord(ahead, start);
  return found >= 0 && Number.isFinite(ahead[found]![0]) ? found : -1;
}
