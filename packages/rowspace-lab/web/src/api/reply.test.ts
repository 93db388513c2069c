import { expect, test } from "vitest";
import { array, decode } from "./reply";

/** Encode a reply like the server: the header's length, the header, padding, and each array at its offset. */
function body(header: object, arrays: [offset: number, bytes: Uint8Array][]): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = Math.ceil((4 + text.length) / 8) * 8;
  const size = Math.max(start, ...arrays.map(([offset, bytes]) => start + offset + bytes.length));
  const buffer = new Uint8Array(size);
  new DataView(buffer.buffer).setUint32(0, text.length, true);
  buffer.set(text, 4);
  for (const [offset, bytes] of arrays) buffer.set(bytes, start + offset);
  return buffer.buffer;
}

const bytesOf = (values: ArrayBufferView) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

test("arrays of every dtype are decoded with their shapes", () => {
  const doubles = Float64Array.of(0.1, -2, Infinity);
  const ids = Int32Array.of(-1, 7);
  const levels = Uint8Array.of(0, 255, 3);
  const header = {
    meta: { word: "naïve 猫" },
    arrays: [
      { name: "doubles", dtype: "<f8", shape: [3], offset: 0 },
      { name: "ids", dtype: "<i4", shape: [1, 2], offset: 24 },
      { name: "levels", dtype: "|u1", shape: [3, 1], offset: 32 },
    ],
  };
  const reply = decode<{ word: string }>(
    body(header, [
      [0, bytesOf(doubles)],
      [24, bytesOf(ids)],
      [32, levels],
    ]),
  );
  expect(reply.meta.word).toBe("naïve 猫");
  expect(reply.arrays).toEqual({ doubles, ids, levels });
  expect(reply.shapes).toEqual({ doubles: [3], ids: [1, 2], levels: [3, 1] });
});

test("empty arrays and scalars are decoded", () => {
  const header = {
    meta: null,
    arrays: [
      { name: "none", dtype: "<f4", shape: [0, 4], offset: 0 },
      { name: "one", dtype: "<f4", shape: [], offset: 0 },
    ],
  };
  const reply = decode(body(header, [[0, bytesOf(Float32Array.of(2.5))]]));
  expect(array(reply, "none").length).toBe(0);
  expect([...array(reply, "one")]).toEqual([2.5]);
});

test("the error for a missing array names those that exist", () => {
  const reply = decode(body({ meta: {}, arrays: [{ name: "rows", dtype: "<f4", shape: [0], offset: 0 }] }, []));
  expect(() => array(reply, "scores")).toThrow(/scores.*rows/);
});
