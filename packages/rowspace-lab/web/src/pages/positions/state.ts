// The state of both views of the page.

import { addressState, choice, flag, number, text, texts } from "../../state/address.svelte";

export const VIEWS = ["schemes", "longer texts"] as const;

/** Numbers of positions and dimensions that sliders offer. */
export const EVEN = [2, 4, 8, 16, 32, 64, 128, 256];

export const schemeState = () =>
  addressState({
    view: choice(VIEWS),
    length: number(64, 2, 256),
    start: number(0, 0, 253),
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

export const scalingState = () =>
  addressState({
    view: choice(VIEWS),
    pairs: number(64, 2, 128),
    base: number(10_000, 2, 1e9),
    original: number(4096, 16, 131_072),
    factor: number(8, 1, 64),
    context: number(32_768, 2, 2 ** 20),
    long: text(),
    shown: texts(["none", "linear", "dynamic", "yarn"]),
  });

/** The names of the scalings. */
export const SCALINGS: Record<string, string> = {
  none: "none",
  linear: "linear",
  dynamic: "dynamic NTK",
  yarn: "YaRN",
  longrope: "LongRoPE",
  llama3: "Llama 3",
};
