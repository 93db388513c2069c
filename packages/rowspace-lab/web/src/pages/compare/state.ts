// The state of the page.

import { addressState, choice, number, picked, text } from "../../state/address.svelte";

export const MEASURES = ["cosine", "neighbors"] as const;

export const compareState = () =>
  addressState({
    /** The id of the second table; empty values are the server's defaults. */
    other: picked(text("")),
    /** The id of the table that differs from the first by chance. */
    null: picked(text("")),
    by: choice(["", ...MEASURES]),
    min_count: number(5, 0, 1_000_000),
    word: text(""),
  });
