import { describe, expect, it } from "vitest";
import { afterAnswer, dueIn, type Missed } from "./missed";

const asked = { lesson: 2, name: "ones", table: "five-items" };
const other: Missed = { lesson: 1, name: "renumbered", table: "six-words", at: 2 };

describe("a missed question", () => {
  it("returns in the next lesson, and three lessons later", () => {
    let missed = afterAnswer([], asked, false, 2);
    expect(missed).toEqual([{ ...asked, at: 3 }]);
    expect(dueIn(missed, 2)).toEqual([]);
    expect(dueIn(missed, 3)).toEqual(missed);
    missed = afterAnswer(missed, asked, false, 3);
    expect([3, 4, 5].flatMap((lesson) => dueIn(missed, lesson))).toEqual([]);
    expect(dueIn(missed, 6)).toEqual([{ ...asked, at: 6 }]);
    expect(afterAnswer(missed, asked, false, 6)).toEqual([]);
  });

  it("returns in the first lesson that is opened after its own", () => {
    const missed = afterAnswer([], asked, false, 2);
    expect(dueIn(missed, 1)).toEqual([]);
    expect(dueIn(missed, 7)).toEqual(missed);
  });

  it("is gone after the right answer, and only it", () => {
    const missed = afterAnswer([other], asked, false, 2);
    expect(afterAnswer(missed, asked, true, 3)).toEqual([other]);
  });

  it("is kept once when it is missed twice in its lesson", () => {
    const missed = afterAnswer(afterAnswer([], asked, false, 2), { ...asked, table: "small-world" }, false, 2);
    expect(missed).toEqual([{ ...asked, table: "small-world", at: 3 }]);
  });
});
