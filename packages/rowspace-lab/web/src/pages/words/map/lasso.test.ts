import { expect, test } from "vitest";
import { inside, lasso, lassoOf, type Lasso } from "./lasso";

/** Pseudorandom points between -1 and 1, one of them without a position. */
function cloud(count: number): Float32Array {
  let state = 1;
  const xy = Float32Array.from({ length: 2 * count }, () => {
    state = (state * 48271) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  });
  xy[6] = xy[7] = NaN;
  return xy;
}

const circle = Array.from({ length: 700 }, (_, at): [number, number] => {
  const angle = (2 * Math.PI * at) / 700;
  return [0.7 * Math.cos(angle), 0.7 * Math.sin(angle)];
});

test("a lasso selects the same words after a round trip through the URL", () => {
  const xy = cloud(20000);
  const held = lassoOf("pca", circle) as Lasso;
  const again = lasso.read(lasso.write(held)) as Lasso;
  expect(again).toEqual(held);
  const ids = inside(xy, held);
  expect(ids.length).toBeGreaterThan(5000);
  expect(inside(xy, again)).toEqual(ids);
  expect(lasso.write(held)[0]!.length).toBeLessThan(2500);
});

test("a circle selects the points nearer to its center than its radius", () => {
  const xy = cloud(3000);
  const ids = new Set(inside(xy, lassoOf("pca", circle) as Lasso));
  for (let id = 0; id < 3000; id++) {
    const away = Math.hypot(xy[2 * id]!, xy[2 * id + 1]!);
    if (!(Math.abs(away - 0.7) < 0.01)) expect(ids.has(id), `point ${id}, ${away} away`).toBe(away < 0.7);
  }
});

test("an invalid lasso is read as null", () => {
  expect(lassoOf("pca", circle.slice(0, 2))).toBeNull();
  for (const text of ["", "pca", "pca:", "pca:1,2;3,4", "pca:1,2;3,x;5,6", "pca:1;2;3"])
    expect(lasso.read([text]), text).toBeNull();
  expect(lasso.write(null)).toEqual([]);
});
