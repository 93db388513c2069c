// Points of the plane in pixels, and the ticks of a logarithmic axis.

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

const LABEL_WIDTH = 36; // px, of a label such as "100k" with a gap

/** Ticks of a logarithmic axis: 1, 2, 5, 10 … where their labels fit, else powers of ten, or fewer of these. */
export function logTicks(low: number, high: number, pixels: number, labelSize = LABEL_WIDTH): number[] {
  const decade = pixels / Math.log10(high / low);
  const digits = decade * Math.log10(2) >= labelSize ? [1, 2, 5] : [1];
  const step = Math.max(1, Math.ceil(labelSize / decade));
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const powers = Array.from({ length: last - first + 1 }, (_, at) => first + at).filter((power) => power % step === 0);
  return powers
    .flatMap((power) => digits.map((digit) => Number(`${digit}e${power}`)))
    .filter((tick) => tick >= low && tick <= high);
}
