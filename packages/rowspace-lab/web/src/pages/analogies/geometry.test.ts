import { expect, test } from "vitest";
import { angleOf, fan, nearestWord, wordBeside } from "./geometry";
import type { Point } from "../../charts/scales";

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

const PLACES: Point[] = [
  [0, 0],
  [10, 1],
  [30, 0],
  [0, 20],
];

test("a dragged handle takes the nearest word", () => {
  expect(nearestWord(PLACES, [8, 0])).toBe(1);
  expect(nearestWord([], [8, 0])).toBe(-1);
});

test("arrow keys take the nearest word in their direction", () => {
  expect(wordBeside(PLACES, 0, "ArrowRight")).toBe(1);
  expect(wordBeside(PLACES, 1, "ArrowRight")).toBe(2);
  expect(wordBeside(PLACES, 0, "ArrowDown")).toBe(1);
  expect(wordBeside(PLACES, 2, "ArrowRight")).toBe(-1);
  expect(wordBeside(PLACES, 0, "a")).toBe(-1);
});
