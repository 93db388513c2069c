import { expect, test } from "vitest";
import { contains, PointIndex } from "./point-index";
import { Points } from "./points";

/** A grid of 20 × 20 points, one of them without a position. */
function grid(): { points: Points; index: PointIndex; xy: Float32Array } {
  const xy = Float32Array.from({ length: 800 }, (_, at) => (at % 2 ? Math.floor(at / 40) : (at / 2) % 20));
  xy[2 * 30] = NaN;
  const points = new Points();
  points.set(xy);
  points.progress = 0.999; // as during a tween: building an index needs a browser
  points.from = points.to;
  return { points, index: new PointIndex(points), xy };
}

test("a triangle contains the points of the intersection of its half-planes", () => {
  const triangle = [
    [0, 0],
    [10, 0],
    [0, 10],
  ] as const;
  for (let x = -1.5; x < 12; x++)
    for (let y = -1.5; y < 12; y++) {
      const inside = x > 0 && y > 0 && x + y < 10;
      expect(contains(triangle, x + 0.1, y), `${x}, ${y}`).toBe(inside && x + 0.1 + y < 10);
    }
  expect(contains([], 0, 0)).toBe(false);
});

test("the nearest point within the radius is picked", () => {
  const { index } = grid();
  expect(index.pick(3.2, 7.1, 1)).toBe(7 * 20 + 3);
  expect(index.pick(3.5, 7.5, 0.1)).toBeNull();
  expect(index.pick(2.5, 7, 1)).toBe(7 * 20 + 2); // a tie: the lower id
});

test("a point without a position is neither picked nor inside a lasso", () => {
  const { index } = grid();
  expect(index.pick(10, 1, 0.4)).toBeNull();
  const found = index.inside([
    [8.5, 0.5],
    [11.5, 0.5],
    [11.5, 1.5],
    [8.5, 1.5],
  ]);
  expect([...found]).toEqual([29, 31]);
});
