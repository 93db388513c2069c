// The state of the page.

import { addressState, choice, number, picked, text, texts } from "../../state/address.svelte";

export const MEASURES = ["cosine", "neighbors"] as const;

export const compareState = () =>
  addressState({
    /** The id of the second table; empty values are the server's defaults. */
    other: picked(text("")),
    /** The ids of tables that differ from the first by chance. */
    null: picked(texts()),
    /** How often the server learns the first table again for this; -1 is its default. */
    refits: number(-1, -1, 5),
    by: choice(["", ...MEASURES]),
    min_count: number(5, 0, 1_000_000),
    word: text(""),
  });
