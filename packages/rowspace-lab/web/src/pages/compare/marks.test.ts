import { expect, test } from "vitest";
import { limitSteps, type Mark } from "./marks";

const mark = (at: number, limit: number): Mark => ({
  token: String(at),
  at,
  kept: 0.5,
  overlap: 0.5,
  cosine: 0.5,
  chance: [],
  limit,
  beyond: false,
});

test("the limit changes where counts reach the next group", () => {
  expect(limitSteps([mark(90, 0.8), mark(3, 0.2), mark(5, 0.2), mark(20, 0.8)])).toEqual([mark(3, 0.2), mark(20, 0.8)]);
});

test("without a null there is no limit", () => {
  expect(limitSteps([mark(3, NaN), mark(90, NaN)])).toEqual([]);
});
