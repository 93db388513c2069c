import { expect, test } from "vitest";
import { shuffled } from "./tween";

const pairsOf = (xy: Float32Array) =>
  Array.from({ length: xy.length / 2 }, (_, id) => `${xy[2 * id]},${xy[2 * id + 1]}`);

test("points start at positions of other points", () => {
  const xy = Float32Array.from({ length: 200 }, (_, at) => at);
  const start = shuffled(xy);
  expect(pairsOf(start).sort()).toEqual(pairsOf(xy).sort());
  expect(pairsOf(start).filter((pair, id) => pair === pairsOf(xy)[id]).length).toBeLessThan(5);
});

test("points without a position keep having none", () => {
  const xy = Float32Array.of(1, 2, NaN, 3, 5, 6);
  const start = shuffled(xy);
  expect(Number.isFinite(start[2]! + start[3]!)).toBe(false);
  for (const id of [0, 2]) expect(Number.isFinite(start[2 * id]! + start[2 * id + 1]!)).toBe(true);
});
