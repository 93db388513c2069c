import { expect, test } from "vitest";
import { between, eased, lineOf, rowOf, tokenAt, type Lookup } from "./lookup";

const lookup: Lookup = {
  tokens: ["cat", "the"],
  ids: [9999, 0],
  rows: [1, 2, 3, 4],
  cells: [],
  height: 0,
  width: 0,
  vocabulary: 10_000,
  names: [],
};
const e = { x: 10, y: 20, width: 30, height: 100 };

test("the row of an id is at its place in the table, and inside it", () => {
  expect(rowOf(lookup, e, 0)).toEqual({ ...e, y: 117, height: 3 });
  expect(rowOf(lookup, e, 1)).toEqual({ ...e, y: 20, height: 3 });
  expect(rowOf({ ...lookup, vocabulary: 4, ids: [2] }, e, 0)).toEqual({ ...e, y: 70, height: 25 });
});

test("the tokens divide X into equal lines", () => {
  expect(lineOf(lookup, e, 1)).toEqual({ ...e, y: 70, height: 50 });
});

test("a movement begins at the row, ends at the line and never turns back", () => {
  const [from, to] = [rowOf(lookup, e, 0), lineOf(lookup, { ...e, x: 90 }, 0)];
  expect(between(from, to, eased(0.5, 0.5, 1))).toEqual(from);
  expect(between(from, to, eased(1, 0.5, 1))).toEqual(to);
  const times = Array.from({ length: 21 }, (_, step) => eased(step / 10, 0.5, 1));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect([times[0], times.at(-1)]).toEqual([0, 1]);
});

test("a position belongs to the token of its id, its row of the table, or its line of X", () => {
  const canvas = { clientWidth: 900, clientHeight: 322 } as HTMLCanvasElement; // E from 22 to 321, X 60 px in its middle
  expect(tokenAt(canvas, lookup, 100, 150)).toBe("cat");
  expect(tokenAt(canvas, lookup, 100, 190)).toBe("the");
  expect(tokenAt(canvas, lookup, 230, 23)).toBe("the");
  expect(tokenAt(canvas, lookup, 230, 320)).toBe("cat");
  expect(tokenAt(canvas, lookup, 800, 190)).toBe("the");
  expect(tokenAt(canvas, lookup, 800, 40)).toBeNull();
});
