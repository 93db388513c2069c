// What the server answers about a hidden state.

import type { Reply } from "../../api/reply";

export interface Logits {
  /** The word whose row the hidden state begins as; empty for the lesson's. */
  word: string;
  /** Which numbers of the hidden state have sliders, and how far these go. */
  dims: number[];
  bound: number;
  rows: number;
  dim: number;
  tokens: string[];
  /** In bits. */
  entropy: number;
  /** The probability of all rows that are not among `tokens`. */
  beyond: number;
  /** How many rows hold half of the probability. */
  half: number;
  /** Rows without a finite logit, which are left out. */
  lost: number;
  code: string;
}

export type Answered = Reply<Logits>;
