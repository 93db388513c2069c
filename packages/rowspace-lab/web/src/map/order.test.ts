import { expect, test } from "vitest";
import { Order } from "./order";

const counts = [1, 2, 3, 5, 8, 100, 997, 4096];

test("slotOf is the inverse of idOf", () => {
  for (const count of counts) {
    const order = new Order(count);
    const ids = Array.from({ length: count }, (_, slot) => order.idOf(slot));
    expect(new Set(ids).size, `${count} points`).toBe(count);
    ids.forEach((id, slot) => expect(order.slotOf(id), `id ${id} of ${count}`).toBe(slot));
  }
});

test("each visits every slot with its id", () => {
  const order = new Order(100);
  const seen: [number, number][] = [];
  order.each((slot, id) => seen.push([slot, id]));
  expect(seen).toEqual(Array.from({ length: 100 }, (_, slot) => [slot, order.idOf(slot)]));
});

test("the first slots are spread evenly over the ids", () => {
  const order = new Order(10_000);
  const tenths = new Array<number>(10).fill(0);
  for (let slot = 0; slot < 500; slot++) tenths[Math.floor(order.idOf(slot) / 1000)]!++;
  for (const count of tenths) expect(Math.abs(count - 50)).toBeLessThanOrEqual(3);
});
