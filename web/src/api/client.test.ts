import { expect, test } from "vitest";
import { addressOf } from "./client";

test("an address repeats lists, leaves out undefined values and escapes what it must", () => {
  expect(addressOf("words", { word: ["a&b", "c d"], count: 3, exact: false, ids: undefined })).toBe(
    "/api/words?word=a%26b&word=c+d&count=3&exact=false",
  );
});

test("an address without parameters has no question mark", () => {
  expect(addressOf("table")).toBe("/api/table");
  expect(addressOf("table", { words: [], id: undefined })).toBe("/api/table");
});
