// What the replies of the server hold besides arrays; written by scripts/make_web_types.py, do not edit.

/** A span of the text and its token. */
export interface Piece {
  text: string;
  token: string;
  /** null for a word outside the vocabulary. */
  id: number | null;
  /** Whether the table has a row for it. */
  row: boolean;
}

/** The rank and score of a token among the answers; null if it is not among them. */
export interface Place {
  rank: number | null;
  score: number | null;
}

/** The best answers, with their code. */
export interface AnswersReply {
  /** a, b and c. */
  question: [string, string, string];
  expected: string;
  tokens: string[];
  /** The number of possible answers. */
  of: number;
  /** The ranks of a, b and c if they are not excluded. */
  inputs: Place[];
  /** The rank of the expected token; null if no token is expected. */
  place: Place | null;
  code: string;
}

/** Example analogies, with their code. */
export interface ExamplesReply {
  /** Four words for each. */
  examples: string[][];
  /** The number of answers in which the fourth word is searched. */
  deepest: number;
  code: string;
}

/** A cost with its formula. */
export interface Formula {
  name: string;
  formula: string;
  /** The formula with the numbers inserted. */
  numbers: string;
  value: number;
  /** Parameters, bytes or operations. */
  unit: string;
}

/** The cost of a table, with formulas. */
export interface CostsReply {
  dtypes: string[];
  code: string;
  formulas: Formula[];
}

/** A published model. */
export interface PublishedModel {
  name: string;
  tied: boolean;
  paper: string;
  source: string;
}

/** The open table. */
export interface OpenedTable {
  vocabulary: number;
  dimension: number;
  dtype: string;
}

/** The sizes of published models, with their code. */
export interface ModelsReply {
  models: PublishedModel[];
  table: OpenedTable;
  code: string;
}

/** A window of the open table, with its code. */
export interface WindowReply {
  /** The number of rows of the table. */
  rows: number;
  /** The number of columns of the table. */
  columns: number;
  /** The largest number of rows from which a cell is computed. */
  rows_read: number;
  /** The token of the first row that each row of cells covers. */
  tokens: string[];
  /** The end of the color scale, which nearly all magnitudes are below. */
  limit: number;
  code: string;
}

/** The most probable rows, with the settings of the request. */
export interface LogitsReply {
  /** The range of the sliders: -bound to bound. */
  bound: number;
  rows: number;
  /** The entropy in bits. */
  entropy: number;
  /** The total probability of all other rows. */
  beyond: number;
  /** The number of most probable rows that have half of the probability. */
  half: number;
  /** The number of rows without a finite logit, which are left out. */
  lost: number;
  code: string;
  /** The word whose row is the initial hidden state; empty for the lesson. */
  word: string;
  /** The dimensions that have sliders. */
  dims: number[];
  dim: number;
  tokens: string[];
}

/** The savings of a tied head, with their code. */
export interface TyingReply {
  models: string[];
  tied: boolean[];
  /** V and d of each model. */
  sizes: [number, number][];
  code: string;
}

/** The parts of a model's input, with the settings of the request. */
export interface PartsReply {
  parts: ("tokens" | "segments" | "positions")[];
  text: string;
  pieces: Piece[];
  /** The tokens that have a row. */
  tokens: string[];
  /** The number of tokens left out at the end of a long text. */
  left_out: number;
  code: string;
  recipe: string;
  recipes: string[];
  on: ("tokens" | "segments" | "positions")[];
  /** The steps of the recipe, in order. */
  steps: string[];
  /** The position of the first token. */
  start: number;
  /** The first token of the second segment. */
  second: number;
  /** Whether the recipe scales token rows. */
  scaled: boolean;
  /** Whether tokens can belong to a second segment. */
  two_segments: boolean;
  /** null if the length of texts is not limited. */
  max_positions: number | null;
  /** The parts with random weights. */
  drawn: ("tokens" | "segments" | "positions")[];
}

/** The costs of one way to combine tokens and positions. */
export interface WayCost {
  way: "added" | "beside" | "mapped";
  width: number;
  position_parameters: number;
  parameters: number;
  /** Operations per token. */
  operations: number;
  /** The size of a square matrix that follows. */
  layer: number;
}

/** Sum and concatenation, with the settings of the request. */
export interface ConcatenatedReply {
  costs: WayCost[];
  /** The largest difference between the sum and a concatenation times stacked identities; null for d > 1024. */
  identity: number | null;
  text: string;
  pieces: Piece[];
  /** The tokens that have a row. */
  tokens: string[];
  /** The number of tokens left out at the end of a long text. */
  left_out: number;
  code: string;
  position: "sinusoid" | "learned";
  width: number;
}

/** The norms of rows and positions, with the settings of the request. */
export interface NormsReply {
  /** The mean norm of the unscaled rows. */
  token_norm: number;
  position_norm: number;
  /** The position's norm divided by the mean norm of scaled rows; null if that is zero. */
  ratio: number | null;
  /** The scale at which both norms are equal. */
  balance: number | null;
  root: number;
  text: string;
  pieces: Piece[];
  /** The tokens that have a row. */
  tokens: string[];
  /** The number of tokens left out at the end of a long text. */
  left_out: number;
  code: string;
  rows: "table" | "drawn";
  position: "sinusoid" | "learned";
  dim: number;
  start: number;
  scale: number;
}

/** A picture, with its name and code. */
export interface PictureReply {
  height: number;
  width: number;
  code: string;
  /** The name to request it by. */
  picture: string;
}

/** A picture in patches, with the settings of the request. */
export interface CutReply {
  /** The numbers of patches per column and per row. */
  grid: [number, number];
  patches: number;
  /** Numbers per patch. */
  numbers: number;
  /** Parameters of the projection. */
  parameters: number;
  /** The largest difference between the two forms of projection. */
  difference: number;
  code: string;
  picture: string;
  channels: number;
  height: number;
  width: number;
  patch: number;
  at: number;
  order: "channels_first" | "channels_last";
  values: string;
  dim: number;
  unit: number;
  seed: number;
}

/** Costs for each patch size, with the settings of the request. */
export interface PatchCostsReply {
  code: string;
  height: number;
  width: number;
  channels: number;
  dim: number;
  pad: boolean;
}

/** The rows of a text, with their code. */
export interface ForwardReply {
  vocabulary: number;
  columns: string[];
  equal: boolean;
  finite: boolean;
  text: string;
  pieces: Piece[];
  /** The tokens that have a row. */
  tokens: string[];
  /** The number of tokens left out at the end of a long text. */
  left_out: number;
  code: string;
}

/** The input matrix of a text. */
export interface MatrixReply {
  text: string;
  pieces: Piece[];
  /** The tokens that have a row. */
  tokens: string[];
  /** The number of tokens left out at the end of a long text. */
  left_out: number;
  code: string;
  position: "sinusoid" | "learned" | "none";
}

/** A comparison with a gradient computed in another way: exact equality and the largest difference. */
export interface Check {
  way: string;
  equal: boolean;
  difference: number | null;
}

/** The gradient of the rows; `g` (n,) is a number for each token. */
export interface BackwardReply {
  vocabulary: number;
  rows: string[];
  /** For each row, the indices of its tokens. */
  token_indices: number[][];
  checks: Check[];
  text: string;
  pieces: Piece[];
  /** The tokens that have a row. */
  tokens: string[];
  /** The number of tokens left out at the end of a long text. */
  left_out: number;
  code: string;
  kind: "ones" | "rows";
  /** A message that says what to install for further checks; null if PyTorch is installed. */
  missing: string | null;
}

/** The rows, with the settings of the request. */
export interface PositionRowsReply {
  code: string;
  length: number;
  dim: number;
  base: number;
  seed: number;
}

/** The scores, with the settings of the request. */
export interface ScoresReply {
  /** For each scheme, the largest difference between a score and the mean score at its offset. */
  deviations: number[];
  /** For each scheme, the number of learned parameters. */
  parameters: number[];
  code: string;
  schemes: string[];
  length: number;
  dim: number;
  heads: number;
  head: number;
  causal: boolean;
}

/** The scalings, with the settings of the request. */
export interface ScalingsReply {
  attention_factors: number[];
  code: string;
  scalings: string[];
  dim: number;
  base: number;
  original: number;
  factor: number;
  length: number;
  long: number[];
}

/** A tokenizer, and the sizes that its vocabulary can be truncated to. */
export interface TokenizerSizes {
  kind: string;
  sizes: number[];
  /** The sizes that are shown by default. */
  shown: number[];
}

/** A tokenizer of the page. */
export interface SourceReply {
  /** null if the table has no tokenizer, or if the standard one is not learned yet. */
  found: TokenizerSizes | null;
}

/** The tokens of a text at one vocabulary size. */
export interface Split {
  size: number;
  tokens: string[];
  /** The text of each token. */
  texts: string[];
  /** Special, added or unknown; empty for other tokens. */
  kinds: string[];
  /** null if any token is unknown. */
  tokens_per_word: number | null;
  /** The mean over known tokens; null if there are none. */
  bytes_per_token: number | null;
  /** The number of unknown tokens. */
  unknown: number;
  /** The share of characters that are in unknown tokens. */
  unknown_share: number;
}

/** A text tokenized at several vocabulary sizes. */
export interface SplitsReply {
  code: string;
  text: string;
  tokenizer: string;
  splits: Split[];
  /** The count of the most frequent token; null if counts are unknown. */
  most: number | null;
}

/** The merges of a text, from which the page computes the tokens after any step. */
export interface MergesReply {
  code: string;
  text: string;
  tokenizer: string;
  /** The left, right and merged token of each step. */
  merges: [string, string, string][];
}

/** A list of tokens, with their code. */
export interface WordTokensReply {
  tokens: string[];
  norms: number[];
  /** The counts of the tokens; null if the table has none. */
  counts: number[] | null;
  code: string;
}

/** The first tokens that contain a substring, with their code. */
export interface SearchReply {
  tokens: string[];
  norms: number[];
  /** The counts of the tokens; null if the table has none. */
  counts: number[] | null;
  /** The number of tokens that contain the substring. */
  found: number;
  code: string;
}

/** The nearest tokens of a word, with their code. */
export interface NeighborsReply {
  tokens: string[];
  norms: number[];
  /** The counts of the tokens; null if the table has none. */
  counts: number[] | null;
  code: string;
  word: string;
}

/** The rows of words, with their code. */
export interface WordRowsReply {
  /** The largest magnitude in any of the rows. */
  limit: number;
  counts: (number | null)[] | null;
  code: string;
  words: string[];
}

/** The pairwise similarities of words, with their code. */
export interface ComparedReply {
  code: string;
  words: string[];
}

/** The distances from the first word to the others, with their code. */
export interface DistancesReply {
  /** The largest distance divided by the smallest; null if the smallest is zero. */
  times: number | null;
  code: string;
  words: string[];
}

/** A map of all rows, with its code. */
export interface PcaReply {
  /** The number of rows with NaN or infinity, which are left out. */
  left_out: number;
  code: string;
}

/** The preservation of neighborhoods by the map of `words/pca`. */
export interface KeptReply {
  by_chance: number;
  k: number;
  /** The number of rows in the sample. */
  sample: number;
  code: string;
}

/** A value for each row, with its code. */
export interface ValuesReply {
  code: string;
  by: "norm" | "count" | "cluster";
}

/** The cluster of each row, with its code. */
export interface ClustersReply {
  /** The words nearest to the center of each cluster. */
  names: string[][];
  sizes: number[];
  code: string;
  by: "norm" | "count" | "cluster";
}

/** All ids, in the order in which they are labeled. */
export interface OrderReply {
  code: string;
  by: "count" | "center";
}

/** A frame of a map in progress: `positions` (n, 2) of the rows `ids` (n,). Only the last frame has all fields. */
export interface MapFrame {
  step: number;
  steps: number;
  mapped?: number;
  /** The number of rows that were placed next to their nearest mapped row. */
  placed?: number;
  kept?: number;
  by_chance?: number;
  k?: number;
  sample?: number;
  code?: string;
}
