import { expect, test } from "vitest";
import { readProgress, statusOf } from "./progress";

test("the progress is what the lessons have stored", () => {
  const stored = readProgress('{"done": {"1": true}, "answered": {"1": ["a", "b", "c"], "2": ["d"]}, "missed": []}');
  expect([1, 2, 3].map((lesson) => statusOf(stored, lesson))).toEqual(["done", "1 answered", ""]);
});

test.each([null, "", "{", "{}", '"text"'])("%s has no progress", (stored) => {
  expect(statusOf(readProgress(stored), 1)).toBe("");
});
