import { expect, test } from "vitest";
import { threadChanges, threadOf, withThread } from "./thread";

test("the thread is the first word and the text of a query string", () => {
  expect(threadOf("?metric=dot&word=sin&word=cos&text=a+b")).toEqual({ word: "sin", text: "a b" });
  expect(threadOf("")).toEqual({ word: "", text: "" });
});

test("a page gets the thread and keeps its other parameters", () => {
  expect(withThread("?stage=4&text=old", { word: "sin", text: "a & b" })).toBe("?stage=4&text=a+%26+b&word=sin");
});

test("an empty thread removes the word and the sentence", () => {
  expect(withThread("?word=sin&word=cos&metric=dot&text=a", { word: "", text: "" })).toBe("?metric=dot");
});

test("a page with several words keeps the others after that of the thread", () => {
  const search = "?word=sin&word=cos&word=tan";
  expect(withThread(search, { word: "sin", text: "" })).toBe(search);
  expect(withThread(search, { word: "tan", text: "" })).toBe("?word=tan&word=cos");
});

test("a change resets the parameters that depend on it, and nothing else does", () => {
  const use = { word: ["dims"], text: ["order"] };
  const search = "?word=sin&dims=1&order=1,0&text=a+b";
  expect(withThread(search, { word: "cos", text: "a b" }, use)).toBe("?word=cos&order=1%2C0&text=a+b");
  expect(withThread(search, { word: "sin", text: "a b" }, use)).toBe(search);
  expect(threadChanges(search, "text", "c", use)).toEqual([
    ["text", ["c"]],
    ["order", []],
  ]);
});
