// What the server answers about an analogy.

import type { Reply } from "../../api/reply";

export interface Place {
  rank: number | null;
  score: number | null;
}

export interface Answers {
  question: [a: string, b: string, c: string];
  tokens: string[];
  /** How many rows could answer. */
  of: number;
  /** Where a, b and c stand when they may be answers too. */
  inputs: Place[];
  expected: string;
  place: Place | null;
  code: string;
}

export interface ExamplesMeta {
  /** Four words each. */
  examples: string[][];
  /** Among so many answers the fourth is looked for. */
  deepest: number;
  /** The code, without its opening. */
  more: string;
}

export type Answered = Reply<Answers>;
