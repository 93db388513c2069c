import { expect, test } from "vitest";
import { choice, flag, number, optional, text, texts, type Kind } from "./url-codecs";

const roundTrip = <T>(kind: Kind<T>, value: T) => kind.read(kind.write(value));

test("what is written is read again", () => {
  expect(["", "cat", "a&b = ?"].map((value) => roundTrip(text("dog"), value))).toEqual(["", "cat", "a&b = ?"]);
  expect(roundTrip(texts(["x"]), ["a", "b"])).toEqual(["a", "b"]);
  expect([null, "", "cat"].map((value) => roundTrip(optional, value))).toEqual([null, "", "cat"]);
  expect([true, false].map((value) => roundTrip(flag(true), value))).toEqual([true, false]);
  expect(roundTrip(number(3, 0, 10), 4.5)).toBe(4.5);
  expect(roundTrip(choice(["a", "b"] as const), "b")).toBe("b");
});

test("an initial value leaves no trace", () => {
  expect([text("dog").write("dog"), texts(["x", "y"]).write(["x", "y"]), flag(true).write(true)]).toEqual([[], [], []]);
  expect([number(3, 0, 10).write(3), choice(["a", "b"] as const).write("a")]).toEqual([[], []]);
});

test("a number outside its range is read as its end, and what is no number as the initial value", () => {
  const kind = number(3, 0, 10);
  expect([["-5"], ["1e9"], ["cat"], []].map((values) => kind.read(values))).toEqual([0, 10, 3, 3]);
});

test("an option that does not exist is read as the initial one", () => {
  expect(choice(["a", "b"] as const, "b").read(["c"])).toBe("b");
});
