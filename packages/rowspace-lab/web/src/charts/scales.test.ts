import { expect, test } from "vitest";
import { logTicks } from "./scales";

test("ticks of an axis are as many as fit", () => {
  expect(logTicks(2000, 300_000, 600)).toEqual([2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000]);
  expect(logTicks(4, 384_000, 280)).toEqual([10, 100, 1000, 10_000, 100_000]); // the table of six words on a phone
  expect(logTicks(4, 384_000, 150)).toEqual([100, 10_000]);
});

test("ticks below 1 are exact, and labels in a column need less room", () => {
  expect(logTicks(0.001, 0.3, 100)).toEqual([0.001, 0.01, 0.1]);
  expect(logTicks(0.001, 0.3, 400)).toEqual([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2]);
  expect(logTicks(1, 1e7, 180, 22)).toEqual([1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7]);
});
