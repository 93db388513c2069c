// The state of the page.

import { addressState, choice, number, text } from "../../state/address.svelte";

export const SOURCES = ["default", "table"] as const;
export const MERGES_OF = ["text", "default", "table"] as const;

export const tokenState = () =>
  addressState({
    text: text(""),
    tokenizer: choice(SOURCES),
    sizes: text(""),
    merge: text("the cat sat on the mat the cat"),
    learn: choice(MERGES_OF),
    step: number(3, 0, 1000),
  });

/** Split an array of concatenated parts by their lengths. */
export function slices<Numbers extends { subarray(from: number, to: number): Numbers }>(
  numbers: Numbers,
  lengths: ArrayLike<number>,
): Numbers[] {
  let start = 0;
  return Array.from(lengths, (length) => numbers.subarray(start, (start += length)));
}
