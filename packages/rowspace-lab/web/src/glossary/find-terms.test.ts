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

test("a term used in an earlier text is not found again", () => {
  const found = new Set<string>();
  expect(findTerms("a row", found)).toEqual([{ text: "a " }, { text: "row", term: "row" }]);
  expect(findTerms("rows and a norm", found)).toEqual([{ text: "rows and a " }, { text: "norm", term: "norm" }]);
});

test("the longest term wins, and parts of words are no terms", () => {
  expect(findTerms("a normal arrow, a dot product")).toEqual([
    { text: "a normal arrow, a " },
    { text: "dot product", term: "dot product" },
  ]);
});

test("a term with capitals is found as it is written, and in small letters", () => {
  for (const form of ["BM25", "bm25"]) expect(findTerms(form)).toEqual([{ text: form, term: "BM25" }]);
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
