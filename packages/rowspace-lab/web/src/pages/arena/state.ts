// The state of the Arena page, and the run that it follows.

import { addressState } from "../../state/address.svelte";
import { choice, picked, text } from "../../state/url-codecs";

export const BUDGETS = ["quick", "5", "20", "60"] as const;
export const BUDGET_NAMES = { quick: "quick: 1.2 s", "5": "5 s", "20": "20 s", "60": "60 s" };
export const SEEDS = ["1", "3", "5"] as const;
export const SCALES = ["32", "64", "128"] as const;

export const arenaState = () =>
  addressState({
    result: picked(text()),
    /** "task/strategy" of the chosen cell. */
    cell: picked(text()),
    budget: choice(BUDGETS),
    seeds: choice<"" | (typeof SEEDS)[number]>(["", ...SEEDS]),
    scale: choice(SCALES),
  });

/** What a run of the page is. */
export interface RunChoice {
  budget: (typeof BUDGETS)[number];
  seeds: (typeof SEEDS)[number];
  scale: (typeof SCALES)[number];
}

const STORAGE_KEY = "rowspace-arena";

/** The run that this tab follows, also after it was loaded again; a link cannot start one. */
export function followedRun(): RunChoice | null {
  return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") as RunChoice | null;
}

export function rememberRun(run: RunChoice | null): void {
  if (run) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(run));
  else sessionStorage.removeItem(STORAGE_KEY);
}
