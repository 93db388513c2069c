import { expect, test } from "vitest";
import { reordered } from "./reordered";

test("an element moves, and the others keep their order", () => {
  expect(reordered([0, 1, 2, 3], 0, 2)).toEqual([1, 2, 0, 3]);
  expect(reordered([0, 1, 2, 3], 3, 0)).toEqual([3, 0, 1, 2]);
  expect(reordered([0, 1], 1, 1)).toEqual([0, 1]);
});
