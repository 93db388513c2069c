import { expect, test } from "vitest";
import { bytes, decimal, percent, whole } from "./format";

test("a decimal has a true minus sign and a fixed number of digits", () => {
  expect(decimal(-1.23456)).toBe("−1.235");
  expect(decimal(2, 1)).toBe("2.0");
});

test("a decimal that would round to zero, or is long, is written with an exponent", () => {
  expect(decimal(0.00012)).toBe("1.20e−4");
  expect(decimal(-12345678)).toBe("−1.23e+7");
  expect(decimal(0)).toBe("0.000");
});

test("a missing or not finite decimal has a sign of its own", () => {
  expect([null, undefined, NaN].map((value) => decimal(value))).toEqual(["–", "–", "–"]);
  expect([Infinity, -Infinity].map((value) => decimal(value))).toEqual(["∞", "−∞"]);
});

test("whole numbers have groups of thousands", () => {
  expect(whole(-1234567.4)).toBe("−1,234,567");
  expect(whole(undefined)).toBe("–");
});

test("bytes are in the largest unit that leaves at least one", () => {
  const cases: [number, string][] = [
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.0 KiB"],
    [1024 ** 2 - 1, "1024.0 KiB"],
    [3 * 1024 ** 3, "3.0 GiB"],
    [5 * 1024 ** 5, "5120.0 TiB"],
  ];
  for (const [value, written] of cases) expect(bytes(value)).toBe(written);
});

test("a share is a percentage", () => {
  expect(percent(0.1234)).toBe("12.3 %");
  expect(percent(1, 0)).toBe("100 %");
});
