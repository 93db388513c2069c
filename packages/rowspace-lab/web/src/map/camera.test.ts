import { expect, test } from "vitest";
import { Camera } from "./camera";

function fittedCamera(): Camera {
  const camera = new Camera();
  [camera.width, camera.height] = [400, 300];
  camera.set(camera.fitting({ left: -1, right: 3, bottom: 10, top: 12 }));
  return camera;
}

test("screen and data coordinates are inverses, with y upward in the data", () => {
  const camera = fittedCamera();
  const [x, y] = camera.toData(...camera.toScreen(0.3, 11.7));
  expect([x, y].map((value) => value.toFixed(9))).toEqual(["0.300000000", "11.700000000"]);
  expect(camera.toScreen(0, 12)[1]).toBeLessThan(camera.toScreen(0, 10)[1]);
});

test("fitting shows the whole box", () => {
  const camera = fittedCamera();
  const corners: [number, number][] = [
    [-1, 10],
    [3, 12],
  ];
  for (const corner of corners) {
    const [x, y] = camera.toScreen(...corner);
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(400);
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(300);
  }
});

test("zooming keeps the data under the pointer in place", () => {
  const camera = fittedCamera();
  const before = camera.toData(60, 120);
  for (const factor of [1.5, 0.4, 1e9, 1e-9]) {
    camera.zoom(factor, 60, 120);
    const after = camera.toData(60, 120);
    expect(after[0]).toBeCloseTo(before[0], 9);
    expect(after[1]).toBeCloseTo(before[1], 9);
  }
});

test("zoom is limited in both directions", () => {
  const camera = fittedCamera();
  const fitted = camera.scale;
  camera.zoom(1e12, 0, 0);
  const nearest = camera.scale;
  camera.zoom(2, 0, 0);
  expect(camera.scale).toBe(nearest);
  camera.zoom(1e-12, 0, 0);
  const farthest = camera.scale;
  camera.zoom(0.5, 0, 0);
  expect(camera.scale).toBe(farthest);
  expect(farthest).toBeLessThan(fitted);
  expect(nearest).toBeGreaterThan(fitted);
});

test("panning is limited so that some points stay visible at any zoom", () => {
  for (const factor of [0.25, 1, 40]) {
    const camera = fittedCamera();
    camera.zoom(factor, 200, 150);
    for (const [right, down] of [
      [1e7, 1e7],
      [-1e7, -1e7],
    ] as [number, number][]) {
      camera.pan(right, down);
      const [left, bottom] = camera.toScreen(-1, 10);
      const [far, top] = camera.toScreen(3, 12);
      expect(left < 400 && far > 0 && top < 300 && bottom > 0, `at ${factor}`).toBe(true);
    }
  }
});

test("panning moves the picture by the given pixels", () => {
  const camera = fittedCamera();
  const [x, y] = camera.toScreen(1, 11);
  camera.pan(30, -20);
  const [right, down] = camera.toScreen(1, 11);
  expect(right - x).toBeCloseTo(30, 9);
  expect(down - y).toBeCloseTo(-20, 9);
});
