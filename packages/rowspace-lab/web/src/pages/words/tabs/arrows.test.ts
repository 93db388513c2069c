import { expect, test } from "vitest";
import { arrowsOf } from "./arrows";

test("arrows have the lengths of the rows and their angle", () => {
  const [a, b] = arrowsOf([3, 1], 60, 2);
  expect(a).toEqual([3, 0]);
  expect(Math.hypot(...b)).toBeCloseTo(2);
  expect((a[0] * b[0] + a[1] * b[1]) / 6).toBeCloseTo(0.5);
});

test("a negative factor turns the arrow around", () => {
  const [, b] = arrowsOf([1, 1], 90, -1);
  expect(b[1]).toBeCloseTo(-1);
});
