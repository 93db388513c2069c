// What the server tells of an input's parts, of sums against concatenations, and of norms.

import type { Sentence } from "../pipeline/stages";

export type Part = "tokens" | "segments" | "positions";
export type PositionKind = "sinusoid" | "learned";

export interface Parts extends Sentence {
  recipe: string;
  recipes: string[];
  parts: Part[];
  on: Part[];
  /** What the recipe does, in its order. */
  steps: string[];
  start: number;
  second: number;
  /** Whether token rows are multiplied first. */
  scaled: boolean;
  /** Whether tokens can belong to a second segment. */
  two_segments: boolean;
  /** null: no longest text. */
  max_positions: number | null;
  /** The tables that nothing was learned in. */
  drawn: Part[];
}

export interface Beside extends Sentence {
  position: PositionKind;
  width: number;
  costs: Cost[];
  identity: number | null;
}

export interface Cost {
  way: "added" | "beside" | "mapped";
  width: number;
  position_parameters: number;
  parameters: number;
  operations: number;
  layer: number;
}

export interface Norms extends Sentence {
  rows: "table" | "drawn";
  position: PositionKind;
  dim: number;
  start: number;
  scale: number;
  token_norm: number;
  position_norm: number;
  /** The position's norm over the scaled row's; null where rows have none. */
  ratio: number | null;
  balance: number | null;
  root: number;
}
