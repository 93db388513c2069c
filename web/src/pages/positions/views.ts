// The two views of the page, and what the server tells of the first.

export const VIEWS = ["schemes", "longer texts"] as const;

export interface Scores {
  schemes: string[];
  /** Of each scheme: how far a score is from the mean of its offset, and how many numbers are learned. */
  deviations: number[];
  parameters: number[];
  length: number;
  dim: number;
  heads: number;
  head: number;
  code: string;
}
