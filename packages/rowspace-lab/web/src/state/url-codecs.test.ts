import { expect, test } from "vitest";
import { choice, flag, number, optional, text, texts, type UrlCodec } from "./url-codecs";

const roundTrip = <T>(codec: UrlCodec<T>, value: T) => codec.read(codec.write(value));

test("values survive a round trip", () => {
  expect(["", "cat", "a&b = ?"].map((value) => roundTrip(text("dog"), value))).toEqual(["", "cat", "a&b = ?"]);
  expect(roundTrip(texts(["x"]), ["a", "b"])).toEqual(["a", "b"]);
  expect([null, "", "cat"].map((value) => roundTrip(optional, value))).toEqual([null, "", "cat"]);
  expect([true, false].map((value) => roundTrip(flag(true), value))).toEqual([true, false]);
  expect(roundTrip(number(3, 0, 10), 4.5)).toBe(4.5);
  expect(roundTrip(choice(["a", "b"] as const), "b")).toBe("b");
});

test("initial values are omitted", () => {
  expect([text("dog").write("dog"), texts(["x", "y"]).write(["x", "y"]), flag(true).write(true)]).toEqual([[], [], []]);
  expect([number(3, 0, 10).write(3), choice(["a", "b"] as const).write("a")]).toEqual([[], []]);
});

test("numbers are clamped to their range, and invalid ones become the initial value", () => {
  const codec = number(3, 0, 10);
  expect([["-5"], ["1e9"], ["cat"], []].map((values) => codec.read(values))).toEqual([0, 10, 3, 3]);
});

test("unknown options become the initial one", () => {
  expect(choice(["a", "b"] as const, "b").read(["c"])).toBe("b");
});
