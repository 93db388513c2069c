// The state of the page.

import { addressState, choice, flag, optional, text } from "../../state/address.svelte";

export const METHODS = ["3cosadd", "3cosmul"] as const;

export const VIEWS = ["plane", "angles", "move", "pairs"] as const;
export const VIEW_NAMES = {
  plane: "Parallelogram",
  angles: "Ranked by angle",
  move: "Move a, b, c",
  pairs: "Many pairs",
};

export const analogyState = () =>
  addressState({
    a: text(""),
    b: text(""),
    c: text(""),
    expected: optional,
    method: choice(METHODS),
    kept: flag(false),
    view: choice(VIEWS),
    /** The pairs of a relation, "man woman, king queen", and of another one. */
    pairs: text(""),
    other: optional,
  });

export type AnalogyState = ReturnType<typeof analogyState>;
