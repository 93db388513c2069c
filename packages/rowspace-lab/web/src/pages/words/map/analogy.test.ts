import { expect, test } from "vitest";
import { analogyPaths } from "./analogy";

const XY = [0, 0, 1, 0, 0, 2, 1, 3];

test("the figure goes from a to b, d, c and back", () => {
  expect(analogyPaths([0, 1, 2, 3], XY).map((path) => Array.from(path))).toEqual([[0, 0, 1, 0, 1, 3, 0, 2, 0, 0]]);
});

test("an analogy with a word without a position has no lines", () => {
  expect(analogyPaths([0, 1, 2, -1], XY)).toEqual([]);
  expect(analogyPaths([0, 1], XY)).toEqual([]);
});
