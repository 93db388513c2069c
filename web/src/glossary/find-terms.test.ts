import { expect, test } from "vitest";
import { findTerms } from "./find-terms";
import { GLOSSARY } from "./glossary";

test("only the first use of a term is a term, in any of its forms", () => {
  expect(findTerms("Rows have a norm; a row with a large norm wins.")).toEqual([
    { text: "Rows", term: "row" },
    { text: " have a " },
    { text: "norm", term: "norm" },
    { text: "; a row with a large norm wins." },
  ]);
});

test("the longest term wins, and parts of words are no terms", () => {
  expect(findTerms("a normal arrow, a dot product")).toEqual([
    { text: "a normal arrow, a " },
    { text: "dot product", term: "dot product" },
  ]);
});

test("the parts together are the text", () => {
  const text = "softmax turns logits into probabilities";
  expect(
    findTerms(text)
      .map((part) => part.text)
      .join(""),
  ).toBe(text);
});

test("every entry has a sentence and a drawing", () => {
  for (const { sentence, figure } of Object.values(GLOSSARY)) {
    expect(sentence).toMatch(/\.$/);
    expect(figure.length).toBeGreaterThan(0);
  }
});
