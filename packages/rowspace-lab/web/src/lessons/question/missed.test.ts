import { describe, expect, it } from "vitest";
import { afterAnswer, dueIn, dueInList, type Missed } from "./missed";

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

  it("waits while three older ones return", () => {
    const names = ["a", "b", "c", "d", "e"];
    let missed = names.reduce<Missed[]>((found, name) => afterAnswer(found, { ...asked, name }, false, 2), []);
    expect(dueIn(missed, 3).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    missed = afterAnswer(missed, { ...asked, name: "b" }, true, 3);
    missed = afterAnswer(missed, { ...asked, name: "a" }, false, 3);
    expect(dueIn(missed, 4).map(({ name }) => name)).toEqual(["c", "d", "e"]);
  });

  it("returns in the list of lessons when no lesson asks it again", () => {
    const early = afterAnswer([], { ...asked, name: "early" }, false, 2);
    const late = afterAnswer(early, { ...asked, lesson: 12 }, false, 12);
    expect(dueInList(late, 12, false)).toEqual([{ ...asked, lesson: 12, at: 13 }]);
    expect(dueInList(late, 12, true)).toEqual(late);
    const again = afterAnswer(late, { ...asked, lesson: 12 }, false, 13);
    expect(dueInList(again, 12, false)).toEqual([{ ...asked, lesson: 12, at: 16 }]);
    expect(dueInList(afterAnswer(again, { ...asked, lesson: 12 }, false, 13), 12, false)).toEqual([]);
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
