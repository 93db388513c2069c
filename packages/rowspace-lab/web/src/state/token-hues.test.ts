import { expect, test } from "vitest";
import { huesOf } from "./token-hues";

test("a token keeps its color in other texts, and the tokens of a text differ in color", () => {
  const first = huesOf(["the", "cat", "sat", "on", "the", "mat"]);
  expect(first[4]).toBe(first[0]);
  expect(new Set(first).size).toBe(5);
  const second = huesOf(["dog", "bites", "the", "cat", "a", "b"]);
  expect(second.slice(2, 4)).toEqual(first.slice(0, 2));
  expect(new Set(second).size).toBe(6);
});

test("more tokens than colors share them evenly", () => {
  const hues = huesOf(Array.from({ length: 16 }, (_, at) => `token ${at}`));
  for (let color = 1; color <= 8; color++) expect(hues.filter((hue) => hue === color)).toHaveLength(2);
});
