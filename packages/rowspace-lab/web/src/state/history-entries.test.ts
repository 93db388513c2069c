import { expect, test } from "vitest";
import { changed, Entries, type HistoryMode } from "./history-entries";

const change = (name: string, mode: HistoryMode) => new Map([[name, mode]]);

test("each change in push mode makes an entry", () => {
  const entries = new Entries();
  expect([0, 1, 2].map((now) => entries.pushes(change("word", "push"), now))).toEqual([true, true, true]);
});

test("each drag makes one entry, however long it takes", () => {
  const entries = new Entries();
  const drag = (...times: number[]) => times.map((now) => entries.pushes(change("size", "merge"), now));
  entries.press();
  expect(drag(0, 10, 5000)).toEqual([true, false, false]);
  entries.release();
  entries.press();
  expect(drag(5010, 5020)).toEqual([true, false]);
});

test("a pause in typing starts a new entry", () => {
  const entries = new Entries();
  const typed = [0, 300, 900, 3000].map((now) => entries.pushes(change("text", "merge"), now));
  expect(typed).toEqual([true, false, false, true]);
});

test("changing another control makes a new entry", () => {
  const entries = new Entries();
  entries.pushes(change("size", "merge"), 0);
  expect(entries.pushes(change("factor", "merge"), 1)).toBe(true);
});

test("changes in replace mode make no entry and do not end a burst", () => {
  const entries = new Entries();
  expect(entries.pushes(change("look", "replace"), 0)).toBe(false);
  entries.pushes(change("size", "merge"), 1);
  entries.pushes(change("look", "replace"), 2);
  expect(entries.pushes(change("size", "merge"), 3)).toBe(false);
});

test("the first change after a history navigation makes an entry", () => {
  const entries = new Entries();
  entries.pushes(change("size", "merge"), 0);
  entries.forget();
  expect(entries.pushes(change("size", "merge"), 1)).toBe(true);
});

test("changing a value preserves its place in the query string and all other values", () => {
  expect(changed("?a=1&b=2&c=3", "b", ["x y", "&"])).toBe("?a=1&b=x+y&c=3&b=%26");
  expect(changed("?a=1", "a", [])).toBe("");
});
