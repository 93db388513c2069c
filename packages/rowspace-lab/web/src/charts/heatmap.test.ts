import { expect, test } from "vitest";
import { cellAt, framedBy } from "./heatmap";

const canvas = { clientWidth: 200, clientHeight: 90 } as HTMLCanvasElement;
const matrix = { values: [], rows: 3, columns: 4 };

test("a position belongs to the cell drawn there", () => {
  expect(cellAt(canvas, matrix, 0, 0)).toEqual({ row: 0, column: 0 });
  expect(cellAt(canvas, matrix, 51, 31)).toEqual({ row: 1, column: 1 });
});

test("a position at or beyond the edge belongs to the nearest cell", () => {
  expect(cellAt(canvas, matrix, 200, 90)).toEqual({ row: 2, column: 3 });
  expect(cellAt(canvas, matrix, -5, 900)).toEqual({ row: 2, column: 0 });
});

test("a token frames all rows and columns that have its name", () => {
  expect(framedBy("the", ["the", "cat", "the"], ["cat", "the"])).toEqual({ rows: [0, 2], columns: [1] });
  expect(framedBy("dog", ["the", "cat"])).toEqual({ rows: [], columns: [] });
  expect(framedBy(null, ["the"])).toEqual({ rows: [], columns: [] });
});
