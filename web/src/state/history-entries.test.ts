import { expect, test } from "vitest";
import { changed, Entries, type HistoryMode } from "./history-entries";

const change = (name: string, mode: HistoryMode) => new Map([[name, mode]]);

test("every pick is an entry", () => {
  const entries = new Entries();
  expect([0, 1, 2].map((now) => entries.opens(change("word", "push"), now))).toEqual([true, true, true]);
});

test("a drag is one entry, however long it takes, and the next drag another", () => {
  const entries = new Entries();
  const drag = (...times: number[]) => times.map((now) => entries.opens(change("size", "merge"), now));
  entries.press();
  expect(drag(0, 10, 5000)).toEqual([true, false, false]);
  entries.release();
  entries.press();
  expect(drag(5010, 5020)).toEqual([true, false]);
});

test("a burst of typing is one entry, and typing after a pause another", () => {
  const entries = new Entries();
  const typed = [0, 300, 900, 3000].map((now) => entries.opens(change("text", "merge"), now));
  expect(typed).toEqual([true, false, false, true]);
});

test("another control opens an entry at once", () => {
  const entries = new Entries();
  entries.opens(change("size", "merge"), 0);
  expect(entries.opens(change("factor", "merge"), 1)).toBe(true);
});

test("a map that moves is no entry, alone or between two changes of one slider", () => {
  const entries = new Entries();
  expect(entries.opens(change("look", "replace"), 0)).toBe(false);
  entries.opens(change("size", "merge"), 1);
  entries.opens(change("look", "replace"), 2);
  expect(entries.opens(change("size", "merge"), 3)).toBe(false);
});

test("after a move through the history a change opens an entry", () => {
  const entries = new Entries();
  entries.opens(change("size", "merge"), 0);
  entries.forget();
  expect(entries.opens(change("size", "merge"), 1)).toBe(true);
});

test("a changed value keeps its place in the query string, and all others their values", () => {
  expect(changed("?a=1&b=2&c=3", "b", ["x y", "&"])).toBe("?a=1&b=x+y&c=3&b=%26");
  expect(changed("?a=1", "a", [])).toBe("");
});
