import { describe, expect, it } from "vitest";
import type { LessonBlock } from "../api/types.generated";
import { outlineOf, parseNumber, stepAt } from "./outline";

function block(kind: LessonBlock["kind"], html: string[] = []): LessonBlock {
  return { kind, name: "", html, page: "", search: "", table: "" };
}
const kinds = (blocks: LessonBlock[]) => blocks.map(({ kind }) => kind);

describe("outlineOf", () => {
  it("gives each figure the text up to the next one", () => {
    const source = ["prose", "figure", "question", "prose", "figure", "prose", "question", "card", "prose"] as const;
    const { intro, steps, end } = outlineOf(source.map((kind) => block(kind)));
    expect(kinds(intro)).toEqual(["prose"]);
    expect(steps.map(({ blocks }) => kinds(blocks))).toEqual([["prose"], ["prose", "question"]]);
    expect(steps.map(({ question }) => question?.kind)).toEqual(["question", undefined]); // the one right after its figure
    expect(kinds(end)).toEqual(["card", "prose"]);
  });

  it("divides the first paragraph from what follows it", () => {
    const outline = outlineOf([block("prose", ["<p>One.</p>\n<p>Two.</p>"]), block("figure")]);
    expect([outline.opening, outline.intro[0]?.html]).toEqual(["<p>One.</p>", ["<p>Two.</p>"]]);
    expect(outlineOf([block("prose", ["<p>One.</p>"]), block("figure")]).intro).toEqual([]);
  });

  it("keeps an exercise before the last figure in its step", () => {
    const { steps, end } = outlineOf([block("figure"), block("exercise"), block("figure")]);
    expect(steps.map(({ blocks }) => kinds(blocks))).toEqual([["exercise"], []]);
    expect(end).toEqual([]);
  });

  it("has no steps without figures", () => {
    expect(outlineOf([block("prose"), block("card")])).toMatchObject({ steps: [], end: [{ kind: "card" }] });
  });
});

describe("stepAt", () => {
  it.each([
    [[400, 900, 1500], 0],
    [[100, 300, 900], 1],
    [[-900, -300, -10], 2],
    [[], 0],
  ])("of %j is %i", (tops, expected) => {
    expect(stepAt(tops, 300)).toBe(expected);
  });
});

describe("parseNumber", () => {
  it.each([
    ["0", 0],
    [" 1,357,000 ", 1357000],
    ["1.357,5", null],
    ["0,086", 0.086],
    ["−0.5", -0.5],
    ["7e7", 7e7],
    ["12 %", 12],
    ["1.3 million", 1300000],
    ["million", null],
    ["", null],
    ["about ten", null],
    ["1e999", null],
  ])("reads %j as %j", (typed, expected) => {
    expect(parseNumber(typed)).toBe(expected);
  });
});
