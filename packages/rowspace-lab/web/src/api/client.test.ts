import { expect, test } from "vitest";
import { urlOf } from "./client";

test("a URL repeats lists, omits undefined values and escapes reserved characters", () => {
  expect(urlOf("words", { word: ["a&b", "c d"], count: 3, exact: false, ids: undefined })).toBe(
    "/api/words?word=a%26b&word=c+d&count=3&exact=false",
  );
});

test("a URL without parameters has no question mark", () => {
  expect(urlOf("table")).toBe("/api/table");
  expect(urlOf("table", { words: [], id: undefined })).toBe("/api/table");
});
