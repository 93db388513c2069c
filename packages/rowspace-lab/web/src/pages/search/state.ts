// The state of the Search page, and the run of its index that this tab follows.

import { addressState, choice, number, text } from "../../state/address.svelte";

export const MODES = ["hybrid", "dense", "lexical"] as const;
export type Mode = (typeof MODES)[number];
export const MODE_NAMES: Record<Mode, string> = { hybrid: "both", dense: "vectors", lexical: "words (BM25)" };
export const RANKS = { hybrid: "hybrid_rank", dense: "dense_rank", lexical: "lexical_rank" } as const;

export const OVER = ["files", "notes", "questions", "pair"] as const;
export const OVER_NAMES = {
  files: "own files",
  notes: "24 notes",
  questions: "24 questions",
  pair: "two notes",
};

export const searchState = () =>
  addressState({
    /** The question, which is the sentence of all pages. */
    text: text(""),
    mode: choice(MODES),
    /** A pattern of .gitignore. */
    path: text(""),
    /** What is searched: files, or the notes of the lesson on search, which two other figures are about, too. */
    over: choice(OVER),
    /** How many of the first notes count; and two notes, from 0. */
    k: number(3, 1, 24),
    one: number(0, 0, 23),
    other: number(5, 0, 23),
  });

/** A run: what tells it apart, and the table that it uses. */
export interface Run {
  at: string;
  table: string;
}

const STORAGE_KEY = "rowspace-search";

/** The run that this tab follows, also after it was loaded again; a link cannot start one. */
export function followedRun(): Run | null {
  return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") as Run | null;
}

export function rememberRun(run: Run | null): void {
  if (run) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(run));
  else sessionStorage.removeItem(STORAGE_KEY);
}
