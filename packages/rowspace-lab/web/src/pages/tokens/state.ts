// The state of the page.

import { addressState, choice, flag, number, text, texts } from "../../state/address.svelte";

export const SOURCES = ["table", "default"] as const;
export const MERGES_OF = ["text", "default", "table"] as const;
export const VIEWS = ["sizes", "merges", "compare", "tradeoff"] as const;
export const VIEW_NAMES = { sizes: "Pieces", merges: "Merges", compare: "Side by side", tradeoff: "Which size?" };
export const NAMES = { default: "BPE of the standard library", table: "the table’s tokenizer", text: "this text" };

export const tokenState = () =>
  addressState({
    view: choice(VIEWS),
    text: text(""),
    tokenizer: choice(["", "table", "default"] as const),
    sizes: text(""),
    merge: text("the cat sat on the mat the cat"),
    learn: choice(MERGES_OF),
    across: flag(),
    step: number(3, 0, 1000),
    with: texts([]),
  });

/** Split an array of concatenated parts by their lengths. */
export function slices<Numbers extends { subarray(from: number, to: number): Numbers }>(
  numbers: Numbers,
  lengths: ArrayLike<number>,
): Numbers[] {
  let start = 0;
  return Array.from(lengths, (length) => numbers.subarray(start, (start += length)));
}

/** Split a list of concatenated parts by their lengths. */
export function parts<Item>(items: readonly Item[], lengths: ArrayLike<number>): Item[][] {
  let start = 0;
  return Array.from(lengths, (length) => items.slice(start, (start += length)));
}
