import { expect, test } from "vitest";
import { visible } from "./visible-text";

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
