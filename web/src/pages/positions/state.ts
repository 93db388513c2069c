// The state of the page: which view, and what is asked of the schemes.

import { addressState, choice, flag, number, text } from "../../state/address.svelte";

export const VIEWS = ["schemes", "longer texts"] as const;

export const schemeState = () =>
  addressState({
    view: choice(VIEWS),
    length: number(64, 2, 256),
    dim: number(64, 2, 256),
    base: number(10_000, 2, 1e9),
    heads: number(8, 1, 16),
    head: number(0, 0, 15),
    causal: flag(),
    seed: number(0, 0, 2 ** 31 - 1),
    query: text(),
    key: text(),
  });

export type SchemeState = ReturnType<typeof schemeState>;
