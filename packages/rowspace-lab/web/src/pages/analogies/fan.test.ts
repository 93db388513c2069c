import { expect, test } from "vitest";
import { angleOf, fan } from "./fan";

test("each answer lies at its angle, alternately above and below the target", () => {
  const [first, second] = fan([0.5, 0], [10, 100], 50);
  expect(first?.degrees).toBeCloseTo(60);
  expect([first?.x, first?.y].map((value) => Math.round(value ?? 0))).toEqual([35, 57]);
  expect(second?.degrees).toBeCloseTo(-90);
  expect([second?.x, second?.y].map((value) => Math.round(value ?? 0))).toEqual([10, 150]);
});

test("rounding errors do not leave the range of the cosine", () => {
  expect(angleOf(1.0000001)).toBe(0);
  expect(angleOf(-1.0000001)).toBe(180);
});
