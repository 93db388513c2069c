import { expect, test } from "vitest";
import { nearestWord, wordBeside } from "./handles";
import type { Point } from "../../charts/plane";

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
