import { expect, test } from "vitest";
import { View } from "./camera";

function view(): View {
  const made = new View();
  [made.width, made.height] = [400, 300];
  made.set(made.fitting({ left: -1, right: 3, bottom: 10, top: 12 }));
  return made;
}

test("screen and data coordinates are inverses, with y upward in the data", () => {
  const one = view();
  const [x, y] = one.toData(...one.toScreen(0.3, 11.7));
  expect([x, y].map((value) => value.toFixed(9))).toEqual(["0.300000000", "11.700000000"]);
  expect(one.toScreen(0, 12)[1]).toBeLessThan(one.toScreen(0, 10)[1]);
});

test("a fitted view shows the whole box", () => {
  const one = view();
  const corners: [number, number][] = [
    [-1, 10],
    [3, 12],
  ];
  for (const corner of corners) {
    const [x, y] = one.toScreen(...corner);
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(400);
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(300);
  }
});

test("zooming keeps the data under the pointer where it is", () => {
  const one = view();
  const before = one.toData(60, 120);
  for (const factor of [1.5, 0.4, 1e9, 1e-9]) {
    one.zoom(factor, 60, 120);
    const after = one.toData(60, 120);
    expect(after[0]).toBeCloseTo(before[0], 9);
    expect(after[1]).toBeCloseTo(before[1], 9);
  }
});

test("zooming stops at both ends", () => {
  const one = view();
  const fitted = one.scale;
  one.zoom(1e12, 0, 0);
  const nearest = one.scale;
  one.zoom(2, 0, 0);
  expect(one.scale).toBe(nearest);
  one.zoom(1e-12, 0, 0);
  const farthest = one.scale;
  one.zoom(0.5, 0, 0);
  expect(one.scale).toBe(farthest);
  expect(farthest).toBeLessThan(fitted);
  expect(nearest).toBeGreaterThan(fitted);
});

test("panning stops while a part of the points is still shown, at any zoom", () => {
  for (const factor of [0.25, 1, 40]) {
    const one = view();
    one.zoom(factor, 200, 150);
    for (const [right, down] of [
      [1e7, 1e7],
      [-1e7, -1e7],
    ] as [number, number][]) {
      one.pan(right, down);
      const [left, bottom] = one.toScreen(-1, 10);
      const [far, top] = one.toScreen(3, 12);
      expect(left < 400 && far > 0 && top < 300 && bottom > 0, `at ${factor}`).toBe(true);
    }
  }
});

test("panning moves the picture by pixels", () => {
  const one = view();
  const [x, y] = one.toScreen(1, 11);
  one.pan(30, -20);
  const [right, down] = one.toScreen(1, 11);
  expect(right - x).toBeCloseTo(30, 9);
  expect(down - y).toBeCloseTo(-20, 9);
});
