// The state of the page, and the marks of verdicts.

import { addressState, choice, picked, text } from "../../state/address.svelte";

export type Verdict = "true" | "false" | "it depends" | "";

export const FILTERS = ["all", "true", "it depends", "false"] as const;
export type Filter = (typeof FILTERS)[number];
export const MARKS: Record<Verdict, string> = { true: "✓", false: "✗", "it depends": "~", "": "…" };

/** How much the width experiment learns: the widths d, and the number of seeds. */
export const SIZES = {
  full: { dims: "2,4,8,16,32,64", seeds: 5 },
  quick: { dims: "4,32,64", seeds: 2 },
};
export type Size = keyof typeof SIZES;
export const SIZE_NAMES = { full: "6 widths, 5 seeds", quick: "3 widths, 2 seeds" };

export const claimsState = () =>
  addressState({
    // The only claim that is shown; "" for all of them.
    claim: picked(text()),
    verdict: choice(FILTERS),
    size: choice<Size>(["full", "quick"]),
  });
