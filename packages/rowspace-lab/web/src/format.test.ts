import { expect, test } from "vitest";
import { bytes, compact, decimal, operations, ordinal, percent, shortToken, tokenText, visible, whole } from "./format";
import { addShownTokens, showTokensOf } from "./shown-tokens";

test("decimals have a true minus sign and a fixed number of digits", () => {
  expect(decimal(-1.23456)).toBe("−1.235");
  expect(decimal(2, 1)).toBe("2.0");
});

test("decimals that round to zero or are large have an exponent", () => {
  expect(decimal(0.00012)).toBe("1.20e−4");
  expect(decimal(-12345678)).toBe("−1.23e+7");
  expect(decimal(0)).toBe("0.000");
});

test("decimals without digits have no exponent below a million", () => {
  expect([0.3, -0.3, 0.5, 41.7, 12345678].map((value) => decimal(value, 0))).toEqual(["0", "0", "1", "42", "1e+7"]);
});

test("missing and non-finite decimals are shown as symbols", () => {
  expect([null, undefined, NaN].map((value) => decimal(value))).toEqual(["–", "–", "–"]);
  expect([Infinity, -Infinity].map((value) => decimal(value))).toEqual(["∞", "−∞"]);
});

test("whole numbers have thousands separators", () => {
  expect(whole(-1234567.4)).toBe("−1,234,567");
  expect(whole(undefined)).toBe("–");
});

test("bytes use the largest unit with a value of at least one", () => {
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

test("fractions are shown as percentages", () => {
  expect(percent(0.1234)).toBe("12.3 %");
  expect(percent(1, 0)).toBe("100 %");
});

test("large numbers are compact", () => {
  const sizes = [7, 50_257, 124_439_808, 1e9, 1.8e12, 2e15];
  const written = ["7", "50.3\u202fk", "124\u202fM", "1\u202fB", "1.8\u202fT", "2000\u202fT"];
  expect(sizes.map(compact)).toEqual(written);
  expect([12, 4.1e11].map(operations)).toEqual(["12\u202fFLOP", "410\u202fGFLOP"]);
});

test("ordinals have their English endings", () => {
  expect([1, 2, 3, 4, 11, 12, 13, 21, 112, 1003].map(ordinal)).toEqual(
    "1st 2nd 3rd 4th 11th 12th 13th 21st 112th 1,003rd".split(" "),
  );
});

test("invisible characters are shown by symbols or their code", () => {
  expect(["a b", "a\n", "\u00a0", "\u202eab", "\u200b"].map(visible)).toEqual([
    "a␣b",
    "a↵",
    "⟨00A0⟩",
    "⟨202E⟩ab",
    "⟨200B⟩",
  ]);
});

test("joiners between characters are part of the text", () => {
  const joined = ["👩\u200d👧", "می\u200cخواهم"];
  expect(joined.map(visible)).toEqual(joined);
  expect(["\u200d", "a\u200c"].map(visible)).toEqual(["⟨200D⟩", "a⟨200C⟩"]);
});

test("long tokens are shortened", () => {
  expect([24, 25].map((length) => shortToken("a".repeat(length)).length)).toEqual([24, 24]);
  expect(shortToken("a".repeat(25))).toMatch(/…$/);
  expect(shortToken("abcdef", 4)).toBe("abc…");
});

test("long tokens are cut between characters", () => {
  expect(shortToken("🐈".repeat(25))).toBe(`${"🐈".repeat(23)}…`);
});

test("invisible characters of tokens are shown", () => {
  expect(shortToken("a b\n")).toBe("a␣b↵");
  expect(shortToken("\u202egnp.exe")).toBe("⟨202E⟩gnp.exe");
});

test("tokens written from right to left are isolated, so that they do not reorder the text around them", () => {
  expect(["שלום", "سلام"].map((token) => shortToken(token))).toEqual(["\u2068שלום\u2069", "\u2068سلام\u2069"]);
  expect(shortToken("Ω")).toBe("Ω");
});

test("bytes in hexadecimal numbers keep the spaces between them", () => {
  expect(["⟨E5 B0⟩", "a ⟨E5 B0⟩", "⟨ E5⟩"].map(visible)).toEqual(["⟨E5 B0⟩", "a␣⟨E5 B0⟩", "⟨␣E5⟩"]);
});

test("tokens of a byte-level table are shown as the server says, those of other tables as they are", () => {
  let id = "bytes";
  showTokensOf(() => id);
  addShownTokens({ Ġking: "␣king", "å°": "⟨E5 B0⟩" }, "bytes");
  expect(["Ġking", "å°", "Ġ", "king"].map(tokenText)).toEqual(["␣king", "⟨E5 B0⟩", "Ġ", "king"]);
  expect(shortToken("Ġking")).toBe("␣king");
  id = "words";
  expect(tokenText("Ġking")).toBe("Ġking");
});
