import { expect, test } from "vitest";
import { addSentence, swapWords } from "./own-tables";

test("two words are swapped wherever they are whole words", () => {
  const text = "the cat sat\nthe dog and the cat\na caterpillar, dogs";
  expect(swapWords(text, "cat", "dog")).toBe("the dog sat\nthe cat and the dog\na caterpillar, dogs");
  expect(swapWords("été eté", "été", "eté")).toBe("eté été");
});

test("a sentence is added as the first line, and an empty one is not", () => {
  expect(addSentence("b", " a ")).toBe("a\nb");
  expect(addSentence("b", "  ")).toBe("b");
});
