import { expect, test } from "vitest";
import { HEIGHT, shorten, Space } from "./labels";

test("placed labels do not overlap and stay inside the canvas", () => {
  const space = new Space(300, 200);
  const placed: { left: number; y: number; width: number }[] = [];
  for (let index = 0; index < 400; index++) {
    const [x, y, width] = [(index * 37) % 300, (index * 53) % 200, 20 + (index % 5) * 10];
    const left = space.free(x, y, width);
    if (left === null) continue;
    space.take(left, y, width);
    placed.push({ left, y, width });
  }
  expect(placed.length).toBeGreaterThan(10);
  for (const one of placed) {
    expect(one.left).toBeGreaterThanOrEqual(0);
    expect(one.left + one.width).toBeLessThanOrEqual(300);
    for (const other of placed) {
      if (one === other || Math.abs(one.y - other.y) >= HEIGHT) continue;
      const apart = one.left + one.width <= other.left || other.left + other.width <= one.left;
      expect(apart, JSON.stringify([one, other])).toBe(true);
    }
  }
});

test("a label without space on the right is placed on the left", () => {
  expect(new Space(100, 50).free(95, 25, 40)).toBeLessThan(95 - 40 + 1);
});

test("a needed label is placed in occupied space, and later labels avoid it", () => {
  const space = new Space(100, 50);
  space.take(0, 25, 90);
  expect(space.put(40, 34, 30)).toBeNull();
  const left = space.put(40, 34, 30, true);
  expect(left).toBeGreaterThan(40);
  expect(space.put(40, 44, 30)).toBeLessThan(40); // on the other side
});

test("long labels are cut between characters", () => {
  expect(shorten("cat")).toBe("cat");
  expect(shorten("🐈".repeat(40))).toBe(`${"🐈".repeat(27)}…`);
});
