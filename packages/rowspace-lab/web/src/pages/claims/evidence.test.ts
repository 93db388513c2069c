import { expect, test } from "vitest";
import { spreadOf, targetOf } from "./evidence";

test("a link inside the workbench has a page, a state and maybe a table", () => {
  expect(targetOf("/pipeline?table=six-words&stage=2&text=the+cat")).toEqual({
    page: "pipeline",
    search: "?stage=2&text=the+cat",
    table: "six-words",
  });
  expect(targetOf("/training")).toEqual({ page: "training", search: "", table: undefined });
});

test("a link to another site is left to the browser", () => {
  expect(targetOf("https://arxiv.org/abs/2405.05417")).toBeUndefined();
  expect(targetOf("//arxiv.org")).toBeUndefined();
});

test("the spread of a column skips missing values", () => {
  expect(spreadOf([1, NaN, 3, 4, 8, NaN], 3)).toEqual([
    [2.5, 8, 3],
    [1, 8, 3],
    [4, 8, 3],
  ]);
  expect(spreadOf([NaN], 1)).toEqual([[NaN], [NaN], [NaN]]);
});
