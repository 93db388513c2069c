// What the server tells of the scores, and of the scalings of rotary.

export interface Scores {
  schemes: string[];
  /** Of each scheme: how far a score is from the mean of its offset, and how many numbers are learned. */
  deviations: number[];
  parameters: number[];
  length: number;
  dim: number;
  heads: number;
  head: number;
  causal: boolean;
  code: string;
}

export interface Scalings {
  scalings: string[];
  attention_factors: number[];
  original: number;
  length: number;
  code: string;
}
