import { expect, test } from "vitest";
import { textOn, css, mix } from "./theme-colors";
import { largest } from "./palette";

test("text on a color is black or white, by contrast", () => {
  const cases: [[number, number, number], string][] = [
    [[255, 255, 255], "#000"],
    [[255, 255, 0], "#000"],
    [[0, 0, 255], "#fff"],
    [[90, 90, 90], "#fff"],
    [[140, 140, 140], "#000"],
  ];
  for (const [color, text] of cases) expect(textOn(color)).toContain(`color: ${text}`);
});

test("mixing interpolates between two colors", () => {
  expect([0, 0.5, 1].map((share) => mix([0, 10, 255], [100, 20, 0], share))).toEqual([
    [0, 10, 255],
    [50, 15, 128],
    [100, 20, 0],
  ]);
  expect(css([1, 2, 3], 0.5)).toBe("rgb(1 2 3 / 0.5)");
});

test("the largest magnitude ignores non-finite values", () => {
  expect(largest([1, -3, NaN, Infinity, -Infinity, 2])).toBe(3);
  expect(largest([])).toBe(0);
});
