import { expect, test } from "vitest";
import { penFor, strengthFor } from "./density";
import { Points, DEFAULT_SIZE } from "./points";
import { advance, type Tween } from "./tween";
import { Camera } from "./camera";

function points(xy: number[]): Points {
  const made = new Points();
  made.set(Float32Array.from(xy));
  return made;
}

test("points without a finite position are counted and excluded from the box", () => {
  const made = points([0, 1, NaN, 5, 4, -2, Infinity, 0]);
  expect(made.missing).toBe(2);
  expect(made.box).toEqual({ left: 0, right: 4, bottom: -2, top: 1 });
  expect([0, 1, 2, 3].map((id) => made.isDrawn(id))).toEqual([true, false, true, false]);
});

test("a tween interpolates positions, and an interrupted one continues from there", () => {
  const made = points([0, 0, 2, 2]);
  made.moveTo(Float32Array.of(4, 0, 2, 6));
  made.progress = 0.5;
  const slot = made.order.slotOf(0);
  expect([made.xOf(slot), made.yOf(slot)]).toEqual([2, 0]);
  made.moveTo(Float32Array.of(0, 0, 0, 0));
  expect(made.xOf(slot)).toBe(2);
});

test("arrays of the wrong length are rejected", () => {
  const made = points([0, 0, 1, 1]);
  expect(() => points([1, 2, 3])).toThrow(RangeError);
  expect(() => made.moveTo(Float32Array.of(1, 2))).toThrow(RangeError);
  expect(() => made.setColors(new Uint8Array(4))).toThrow(RangeError);
  expect(() => made.setSizes(new Float32Array(1))).toThrow(RangeError);
});

test("emphasis makes all other points faint until it is removed", () => {
  const made = points([0, 0, 1, 1, 2, 2]);
  const weights = () => [0, 1, 2].map((id) => made.paint[4 * made.order.slotOf(id) + 3]!);
  made.setEmphasis([1]);
  const [first, second, third] = weights() as [number, number, number];
  expect(second).toBe(255);
  expect(first).toBeLessThan(60);
  expect(third).toBe(first);
  made.setEmphasis(null);
  expect(weights()).toEqual([255, 255, 255]);
});

test("colors are looked up in a palette, and sizes are relative to the default", () => {
  const made = points([0, 0, 1, 1]);
  made.setColors(Uint8Array.of(1, 0), Uint8Array.of(1, 2, 3, 255, 4, 5, 6, 128));
  const at = 4 * made.order.slotOf(0);
  expect([...made.paint.subarray(at, at + 4)]).toEqual([4, 5, 6, 128]);
  made.setSizes(Float32Array.of(2, 1e9));
  expect([0, 1].map((id) => made.sizes[made.order.slotOf(id)])).toEqual([2 * DEFAULT_SIZE, 255]);
});

test("dense points are smaller and weaker, and a sample of them stronger", () => {
  const camera = new Camera();
  [camera.width, camera.height] = [100, 100];
  const square = (count: number) => points(Array.from({ length: 2 * count }, (_, at) => ((at * 7919) % 1000) / 1000));
  const pens = [10, 300, 100_000].map((count) => {
    const made = square(count);
    camera.set(camera.fitting(made.box));
    return penFor(made, camera, 1);
  });
  expect(pens[0]!.diameter).toBeGreaterThan(pens[1]!.diameter);
  expect(pens[2]!.diameter).toBe(1);
  expect(pens[2]!.strength).toBeLessThan(pens[1]!.strength);
  expect(strengthFor(pens[2]!, 50_000, 100_000)).toBeGreaterThan(pens[2]!.strength);
});

test("a tween is eased, lasts its duration and moves the camera", () => {
  const [made, camera] = [points([0, 0, 1, 1]), new Camera()];
  made.moveTo(Float32Array.of(1, 1, 2, 2));
  const goal = { x: 10, y: 0, scale: 4 };
  const tween: Tween = { milliseconds: 100, eased: true, began: null, start: { x: 0, y: 0, scale: 1 }, goal };
  expect(advance(tween, made, camera, 1000)).toBe(false);
  expect(made.progress).toBe(0);
  advance(tween, made, camera, 1010);
  expect(made.progress).toBeLessThan(0.1);
  advance(tween, made, camera, 1050);
  expect([camera.x, camera.scale]).toEqual([5, 2]); // half way, and the geometric mean
  expect(advance(tween, made, camera, 2000)).toBe(true);
  expect([made.progress, camera.x, camera.scale]).toEqual([1, 10, 4]);
});
