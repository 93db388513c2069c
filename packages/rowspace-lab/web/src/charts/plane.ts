// Converts points of the plane to pixels.

export type Point = [x: number, y: number];

/** Pairs of coordinates from a flat array. */
export function pairs(flat: ArrayLike<number>): Point[] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [
    flat[2 * index] as number,
    flat[2 * index + 1] as number,
  ]);
}

/** A function from points to pixels with one scale for both axes, which preserves angles. */
export function fit(points: Point[], width: number, height: number, margin: number): (point: Point) => Point {
  const [left, right] = [Math.min(...points.map(([x]) => x)), Math.max(...points.map(([x]) => x))];
  const [low, high] = [Math.min(...points.map(([, y]) => y)), Math.max(...points.map(([, y]) => y))];
  const room = (pixels: number, extent: number) => (extent > 0 ? (pixels - 2 * margin) / extent : Infinity);
  const least = Math.min(room(width, right - left), room(height, high - low));
  const scale = Number.isFinite(least) ? least : 1;
  return ([x, y]) => [width / 2 + (x - (left + right) / 2) * scale, height / 2 - (y - (low + high) / 2) * scale];
}
