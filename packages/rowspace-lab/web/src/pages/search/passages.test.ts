import { expect, test } from "vitest";
import type { Reply } from "../../api/reply";
import type { PassagesReply } from "../../api/types.generated";
import { bestLines, cut, passagesOf, type Piece, summed, withoutBlankEnds, written } from "./passages";

const plain = (text: string, share: number | null = null, term: number | null = null): Piece => ({ text, share, term });

const found = {
  path: "src/a.py",
  chunk: 0,
  metadata: "",
  last_line: 9,
  hybrid_rank: 1,
  dense_rank: 2,
  lexical_rank: null,
  score: 0.01,
  title_share: 0.1,
  opening_share: 0,
  cosine: 0.5,
  bm25: 2,
};
const reply: Reply<PassagesReply> = {
  meta: {
    query: "cat",
    terms: ["cat"],
    has_vector: true,
    passages: [
      { ...found, is_pdf: false, first_line: 3, name: "a cat", text: "Cat\nsat" },
      { ...found, is_pdf: true, first_line: 4, name: "", text: "cats" },
    ],
    hybrid: [0, 1],
    dense: [],
    lexical: [],
    codes: { hybrid: "", dense: "", lexical: "" },
  },
  arrays: {
    // "a cat\nCat\nsat": a, cat, Cat, sat; "cats"
    spans: Int32Array.of(0, 1, 2, 5, 6, 9, 10, 13, 0, 4),
    shares: Float32Array.of(0.125, 0.25, 0.5, -0.25, 0.5),
    span_ends: Int32Array.of(4, 5),
    matches: Int32Array.of(6, 9, 0, 0, 4, 0),
    match_ends: Int32Array.of(1, 2),
    scores: Float32Array.of(2, 1),
  },
  shapes: { scores: [2, 1] },
};

test("the words of a passage have their shares and terms, in its title and its lines", () => {
  const [first, second] = passagesOf(reply);
  expect(first?.location).toBe("src/a.py:3");
  expect(first?.title).toMatchObject([plain("a", 0.125), plain(" "), plain("cat", 0.25)]);
  expect(first?.lines).toMatchObject([[plain("Cat", 0.5, 0)], [plain("sat", -0.25)]]);
  expect(first?.shares).toEqual([
    { name: "cat", value: 0.75 },
    { name: "a", value: 0.125 },
    { name: "sat", value: -0.25 },
  ]);
  expect(first?.scores).toEqual([2]);
  expect(second?.location).toBe("src/a.py page 4");
  expect(second?.title).toEqual([]);
  expect(second?.lines).toMatchObject([[plain("cats", 0.5, 0)]]);
});

test("a word and a match that overlap are cut where they differ", () => {
  expect(cut("don't go", [[0, 5, 0.5]], [[0, 3, 1]])).toMatchObject([
    plain("don", 0.5, 1),
    plain("'t", 0.5),
    plain(" go"),
  ]);
});

test("the lines with the most evidence are chosen, the first of equal ones", () => {
  const lines = [0, 1, 0, 2, 2, 0].map((share) => [plain("word", share)]);
  const weigh = ({ share }: Piece) => share ?? 0;
  expect(bestLines(lines, 2, weigh)).toBe(3);
  expect(bestLines(lines, 10, weigh)).toBe(0);
  expect(bestLines(lines.slice(0, 1), 2, weigh)).toBe(0);
});

test("blank lines at both ends are left out", () => {
  const [blank, line] = [[plain(" ")], [plain("text")]];
  expect(withoutBlankEnds([blank, [], line, blank, line, blank])).toEqual([line, blank, line]);
  expect(withoutBlankEnds([blank])).toEqual([]);
});

test("a sum names its largest terms and adds up the rest", () => {
  const sums = summed([
    { name: "The", value: 0.25 },
    { name: "cat", value: 0.5 },
    { name: "the", value: 0.5 },
    { name: "x", value: -0.125 },
    { name: "y", value: -0.25 },
  ]);
  expect(written(sums, 2, 2)).toBe("“The” 0.75 + “cat” 0.50 \u2212 2 others 0.38");
  expect(written(sums.slice(0, 3), 2, 2)).toBe("“The” 0.75 + “cat” 0.50 \u2212 1 other 0.13");
  expect(written(sums.slice(0, 1), 2)).toBe("“The” 0.75");
});
