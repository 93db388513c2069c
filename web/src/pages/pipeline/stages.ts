// The stages of the way from a text to the matrix X, and back; and what the server tells of them.

export interface Piece {
  text: string;
  token: string;
  id: number | null;
  row: boolean;
}

export interface Sentence {
  text: string;
  pieces: Piece[];
  tokens: string[];
  left_out: number;
  code: string;
}

export interface Forward extends Sentence {
  vocabulary: number;
  columns: string[];
  equal: boolean;
  finite: boolean;
}

export interface Backward extends Sentence {
  vocabulary: number;
  rows: string[];
  /** For each row, the places of the tokens that it is the row of. */
  from: number[][];
  kind: "ones" | "rows";
  checks: { way: string; equal: boolean; difference: number | null }[];
  missing: string | null;
}
