// What the list of words shows: positions and order of all words, and the words inside the lasso.

import type { Tokens } from "./tokens.svelte";

export interface WordList {
  /** The tokens of the table whose ids these are. */
  tokens: Tokens;
  xy: Float32Array;
  /** Whether the order is known; until then nothing is listed. */
  ordered: boolean;
  /** All ids in order; 0, 1, 2 … by default. */
  order?: Uint32Array;
  /** The criterion of the order. */
  first: "count" | "center" | "id";
  /** The ids inside the lasso in this order, and whether the map has a lasso. */
  ids: Uint32Array;
  onmap: boolean;
}
