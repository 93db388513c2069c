import { expect, test } from "vitest";
import { analogyPaths, edgeLinks, regionsOf } from "./regions";

test("edges are lines between the positions of their ends, without those that have none", () => {
  const xy = [0, 1, 2, 3, NaN, NaN];
  expect([...edgeLinks([0, 1, 1, 2, 1, 0, 0, 9], xy)]).toEqual([0, 1, 2, 3, 2, 3, 0, 1]);
});

test("a region lies at the row nearest to the median of its rows and has the names of two words", () => {
  const xy = [0, 2, 3, 3, 100, 4, 7, 7, NaN, 1];
  const names = [["cat", "dog"], ["sin"], ["none"]];
  expect(regionsOf([0, 0, 0, 1, 1], names, xy)).toEqual([
    { name: "cat · dog", x: 3, y: 3 },
    { name: "sin", x: 7, y: 7 },
  ]);
});

test("rows in no cluster belong to no region", () => {
  expect(regionsOf([-1, -1], [["a"]], [0, 0, 1, 1])).toEqual([]);
});

const XY = [0, 0, 1, 0, 0, 2, 1, 3];

test("the figure goes from a to b, d, c and back", () => {
  expect(analogyPaths([0, 1, 2, 3], XY).map((path) => Array.from(path))).toEqual([[0, 0, 1, 0, 1, 3, 0, 2, 0, 0]]);
});

test("an analogy with a word without a position has no lines", () => {
  expect(analogyPaths([0, 1, 2, -1], XY)).toEqual([]);
  expect(analogyPaths([0, 1], XY)).toEqual([]);
});
