import { expect, test } from "vitest";
import type { Reply } from "../../api/reply";
import type { SnapshotsReply } from "../../api/types.generated";
import { atStep, byFrequency, column, comparedOf, groupColor, mapAt, pathOf } from "./snapshot";

// Three steps of two tokens.
const reply = {
  meta: { tokens: ["a", "b"], counts: [1, 2] } as unknown as SnapshotsReply,
  arrays: { positions: Float32Array.of(0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23) },
  shapes: { positions: [3, 2, 2] },
} as Reply<SnapshotsReply>;

test("the map of a step has the positions of all tokens", () => {
  expect([...mapAt(reply, 1)]).toEqual([10, 11, 12, 13]);
});

test("a path ends at the step that is shown", () => {
  expect([...pathOf(reply, 1, 0)]).toEqual([2, 3]);
  expect([...pathOf(reply, 1, 2)]).toEqual([2, 3, 12, 13, 22, 23]);
});

test("frequent tokens come first, and equally frequent ones keep their order", () => {
  expect([...byFrequency([3, 7, 3])]).toEqual([1, 0, 2]);
});

test("tokens that are not in the text are gray", () => {
  expect([0, 3, 4].map((group) => groupColor(group, 5))).toEqual(["--class-1", "--class-4", "--quiet"]);
});

test("three watched tokens are compared: the wanted ones, else words of similar use", () => {
  const meta = { tokens: ["␣the", "␣may", "␣function", "␣can", "␣x"], watched: [7, 8, 9, 3] };
  const ids = [7, 8, 9, 3, 4];
  expect(comparedOf(meta, ids, "")).toEqual([3, 8, 9]);
  expect(comparedOf(meta, ids, "9,7,8")).toEqual([9, 7, 8]);
  expect(comparedOf(meta, ids, "4,7,8")).toEqual([3, 8, 9]); // 4 is not watched
  expect(comparedOf({ tokens: ["a", "b"], watched: [0] }, [0, 1], "")).toEqual([0]);
});

test("a compared token has a vector at each step, and a number at each step", () => {
  const both = {
    arrays: { input: Float32Array.from({ length: 12 }, (_, at) => at), input_steps: Float32Array.of(0, 1, 2, 3) },
    shapes: { input: [2, 2, 3], input_steps: [2, 2] },
  } as unknown as Reply<unknown>;
  expect([...Array.from(atStep(both, "input", 1, 0))]).toEqual([6, 7, 8]);
  expect([...column(both, "input_steps", 1)]).toEqual([1, 3]);
});
