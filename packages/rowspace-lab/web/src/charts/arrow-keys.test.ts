import { expect, test } from "vitest";
import { moved, stepped, within } from "./arrow-keys";

function press(key: string): KeyboardEvent & { prevented: boolean } {
  const event = { key, prevented: false, preventDefault: () => void (event.prevented = true) };
  return event as KeyboardEvent & { prevented: boolean };
}

test("arrow keys step through a list, stop at its ends and start at its first item", () => {
  expect(stepped(press("ArrowRight"), 1, 3)).toBe(2);
  expect(stepped(press("ArrowRight"), 2, 3)).toBe(2);
  expect(stepped(press("ArrowLeft"), 0, 3)).toBe(0);
  expect(stepped(press("ArrowLeft"), null, 3)).toBe(0);
});

test("arrow keys move in a grid and stop at its edges", () => {
  expect(moved(press("ArrowDown"), { row: 0, column: 2 }, 2, 3)).toEqual({ row: 1, column: 2 });
  expect(moved(press("ArrowRight"), { row: 0, column: 2 }, 2, 3)).toEqual({ row: 0, column: 2 });
  expect(moved(press("ArrowUp"), { row: 0, column: 2 }, 2, 3)).toEqual({ row: 0, column: 2 });
});

test("only handled keys are prevented from scrolling the page", () => {
  const [arrow, other] = [press("ArrowLeft"), press("a")];
  stepped(arrow, 0, 3);
  expect(stepped(other, 0, 3)).toBeUndefined();
  expect(moved(other, { row: 0, column: 0 }, 2, 2)).toBeUndefined();
  expect([arrow.prevented, other.prevented]).toEqual([true, false]);
});

test("an index is clamped to a list", () => {
  expect([-4, 0, 2, 9].map((place) => within(place, 3))).toEqual([0, 0, 2, 2]);
});
