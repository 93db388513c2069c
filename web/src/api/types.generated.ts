// What the replies of the server hold besides arrays; written by scripts/make_web_types.py, do not edit.

/** A span of the text, and the token that it became. */
export interface Piece {
  text: string;
  token: string;
  /** null: a word that is not in the vocabulary. */
  id: number | null;
  /** Whether the table has a row for it. */
  row: boolean;
}

/** The place of a token among the answers; null where it is not one. */
export interface Place {
  rank: number | null;
  score: number | null;
}

/** The best answers, drawn. */
export interface AnswersReply {
  /** a, b and c. */
  question: [string, string, string];
  expected: string;
  tokens: string[];
  /** How many rows could answer. */
  of: number;
  /** The places of a, b and c if they may be answers too. */
  inputs: Place[];
  /** The place of the expected token; null if no token is expected. */
  place: Place | null;
  code: string;
}

/** Well-known analogies. */
export interface ExamplesReply {
  /** Four words each. */
  examples: string[][];
  /** The fourth is looked for among so many answers. */
  deepest: number;
  code: string;
}

/** How a figure is computed. */
export interface Formula {
  name: string;
  formula: string;
  /** The formula with its numbers in place. */
  numbers: string;
  value: number;
  /** Parameters, bytes or operations. */
  unit: string;
}

/** What a table costs, with the formulas. */
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

/** The table that is open. */
export interface OpenedTable {
  vocabulary: number;
  dimension: number;
  dtype: string;
}

/** What the tables of published models hold. */
export interface ModelsReply {
  models: PublishedModel[];
  table: OpenedTable;
  code: string;
}

/** A part of the open table. */
export interface WindowReply {
  /** The size of the whole table. */
  rows: number;
  columns: number;
  /** How many rows a cell was computed from, at most. */
  rows_read: number;
  /** The token of the first row that each row of cells stands for. */
  tokens: string[];
  /** A magnitude that nearly all numbers of the table stay below. */
  limit: number;
  code: string;
}

/** The likeliest rows and the whole. */
export interface LogitsReply {
  /** How far its sliders go. */
  bound: number;
  rows: number;
  /** In bits. */
  entropy: number;
  /** The probability of all rows that are not among the likeliest. */
  beyond: number;
  /** How many rows hold half of the probability. */
  half: number;
  /** Rows without a finite logit, which are left out. */
  lost: number;
  code: string;
  /** The word whose row the hidden state begins as; empty for the lesson's. */
  word: string;
  /** Which numbers of the hidden state have sliders. */
  dims: number[];
  dim: number;
  tokens: string[];
}

/** What a tied head saves. */
export interface TyingReply {
  models: string[];
  tied: boolean[];
  /** V and the width of a row. */
  sizes: [number, number][];
  code: string;
}

/** The input of a known model, part by part. */
export interface PartsReply {
  parts: ("tokens" | "segments" | "positions")[];
  text: string;
  pieces: Piece[];
  /** Those that have a row. */
  tokens: string[];
  /** How many tokens at the end of a long text are left out. */
  left_out: number;
  code: string;
  recipe: string;
  recipes: string[];
  on: ("tokens" | "segments" | "positions")[];
  /** What the recipe does, in its order. */
  steps: string[];
  /** The position of the first token. */
  start: number;
  /** The first token of the second segment. */
  second: number;
  /** Whether token rows are multiplied first. */
  scaled: boolean;
  /** Whether tokens can belong to a second segment. */
  two_segments: boolean;
  /** null: no longest text. */
  max_positions: number | null;
  /** The parts whose tables are not learned. */
  drawn: ("tokens" | "segments" | "positions")[];
}

/** What one way to combine tokens and positions costs. */
export interface WayCost {
  way: "added" | "beside" | "mapped";
  width: number;
  position_parameters: number;
  parameters: number;
  /** For a token. */
  operations: number;
  /** A square matrix that follows. */
  layer: number;
}

/** Positions added to the rows or next to them. */
export interface ConcatenatedReply {
  costs: WayCost[];
  /** How far the sum is from parts of equal width side by side, times two identity matrices on top of one another. */
  identity: number | null;
  text: string;
  pieces: Piece[];
  /** Those that have a row. */
  tokens: string[];
  /** How many tokens at the end of a long text are left out. */
  left_out: number;
  code: string;
  position: "sinusoid" | "learned";
  width: number;
}

/** How long rows are next to positions. */
export interface NormsReply {
  /** The mean. */
  token_norm: number;
  position_norm: number;
  /** The position's norm over that of the scaled row; null where rows have none. */
  ratio: number | null;
  /** The scale at which both norms are equal. */
  balance: number | null;
  root: number;
  text: string;
  pieces: Piece[];
  /** Those that have a row. */
  tokens: string[];
  /** How many tokens at the end of a long text are left out. */
  left_out: number;
  code: string;
  rows: "table" | "drawn";
  position: "sinusoid" | "learned";
  dim: number;
  start: number;
  scale: number;
}

/** A picture that patches can be cut from. */
export interface PictureReply {
  height: number;
  width: number;
  code: string;
  /** The name to request it by. */
  picture: string;
}

/** A picture in patches, with the settings of the request. */
export interface CutReply {
  /** Patches down and across. */
  grid: [number, number];
  patches: number;
  /** Of one patch. */
  numbers: number;
  /** Of the projection. */
  parameters: number;
  /** Between the two forms of projection, at most. */
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

/** Counts for each size of a patch, with the sizes of the request. */
export interface PatchCostsReply {
  code: string;
  height: number;
  width: number;
  channels: number;
  dim: number;
  pad: boolean;
}

/** From a text to its rows. */
export interface ForwardReply {
  vocabulary: number;
  columns: string[];
  equal: boolean;
  finite: boolean;
  text: string;
  pieces: Piece[];
  /** Those that have a row. */
  tokens: string[];
  /** How many tokens at the end of a long text are left out. */
  left_out: number;
  code: string;
}

/** The input matrix of a text. */
export interface MatrixReply {
  text: string;
  pieces: Piece[];
  /** Those that have a row. */
  tokens: string[];
  /** How many tokens at the end of a long text are left out. */
  left_out: number;
  code: string;
  position: "sinusoid" | "learned" | "none";
}

/** Whether the gradient computed in another way is equal to the last bit, and how far it differs. */
export interface Check {
  way: string;
  equal: boolean;
  difference: number | null;
}

/** What each row of the table gets; `g` (n,) is a number for each token. */
export interface BackwardReply {
  vocabulary: number;
  rows: string[];
  /** For each row, the indices of the tokens that it is the row of. */
  token_indices: number[][];
  checks: Check[];
  text: string;
  pieces: Piece[];
  /** Those that have a row. */
  tokens: string[];
  /** How many tokens at the end of a long text are left out. */
  left_out: number;
  code: string;
  kind: "ones" | "rows";
  /** What to install for the checks that are left out. */
  missing: string | null;
}

/** The maps, with the sizes of the request. */
export interface PositionRowsReply {
  code: string;
  length: number;
  dim: number;
  base: number;
  seed: number;
}

/** The scores, with the sizes of the request. */
export interface ScoresReply {
  /** Of each scheme: how far a score is from the mean of its offset, at most. */
  deviations: number[];
  /** Of each scheme: how many numbers are learned. */
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

/** A tokenizer, and what its vocabulary can be cut to. */
export interface TokenizerSizes {
  kind: string;
  sizes: number[];
  /** Which of them to show at first. */
  shown: number[];
}

/** A tokenizer that texts can be split with. */
export interface SourceReply {
  /** null where there is no such tokenizer, or none yet. */
  found: TokenizerSizes | null;
}

/** The tokens of a text at one size of the vocabulary. */
export interface Split {
  size: number;
  tokens: string[];
  /** What each token stands for in the text. */
  texts: string[];
  /** Special, added or unknown; empty for the others. */
  kinds: string[];
  /** null where some tokens are unknown. */
  tokens_per_word: number | null;
  /** Of the known tokens; null where there are none. */
  bytes_per_token: number | null;
  /** How many tokens are unknown. */
  unknown: number;
  /** The share of the characters in them. */
  unknown_share: number;
}

/** A text at several sizes of the vocabulary. */
export interface SplitsReply {
  code: string;
  text: string;
  tokenizer: string;
  splits: Split[];
  /** How often the most frequent token was trained; null where no counts are known. */
  most: number | null;
}

/** The merges of a text, and the step that joined each of its m symbols. */
export interface MergesReply {
  code: string;
  text: string;
  tokenizer: string;
  /** Left, right, and what they make, in the order of the steps. */
  merges: [string, string, string][];
}

/** What a job that trains says as it goes on. */
export interface TrainingFrame {
  step: number;
  steps: number;
  tokens?: string[];
  finished?: boolean;
  /** The call that trains the run. */
  code: string;
}

/** How far a run is. */
export interface RunState {
  step: number;
  steps: number;
}

/** The run that `rowspace lab RUN` has opened; null where it has opened a table. */
export interface OwnRunReply {
  run: RunState | null;
}

/** The curves of a run. */
export interface CurvesReply {
  step: number;
  steps: number;
  num_embeddings: number;
  dim: number;
  /** The loss before the first update; null before there is one. */
  loss_at_start: number | null;
  /** ln V, the loss of equal probabilities for all tokens. */
  uniform: number;
  tied: boolean;
  code: string;
}

/** The sampled rows at each recorded step. */
export interface SnapshotsReply {
  tokens: string[];
  counts: number[];
  group_names: string[];
  code: string;
}

/** Updates and distances of all rows at a step. */
export interface UpdatesReply {
  step: number;
  tokens: string[];
  group_names: string[];
  /** Rows that no text has looked up. */
  untouched: number;
  /** Their median distance from the start; null where there are none. */
  untouched_distance: number | null;
  /** Rows by how often they were updated: rare to frequent. */
  bands: string[];
  band_rows: number[];
  /** The median distance of each band; null for an empty one. */
  band_distances: (number | null)[];
  code: string;
}

/** A row at the start and at a step. */
export interface TrainedRowReply {
  id: number;
  step: number;
  token: string;
  count: number;
  updates: number;
  distance: number;
  neighbors: string[];
  tied: boolean;
  code: string;
}

/** The rows that differ most between two runs. */
export interface MovedReply {
  tokens: string[];
  /** Of all rows. */
  median: number;
  code: string;
}

/** How much a prediction changes with the order of the tokens. */
export interface MaskChangesReply {
  causal: number;
  full: number;
  code: string;
}

/** A list of tokens. */
export interface WordTokensReply {
  tokens: string[];
  norms: number[];
  /** How often each was seen; null for a table without counts. */
  counts: number[] | null;
  code: string;
}

/** The first tokens that contain a part. */
export interface SearchReply {
  tokens: string[];
  norms: number[];
  /** How often each was seen; null for a table without counts. */
  counts: number[] | null;
  /** How many tokens contain it. */
  found: number;
  code: string;
}

/** The nearest tokens of a word. */
export interface NeighborsReply {
  tokens: string[];
  norms: number[];
  /** How often each was seen; null for a table without counts. */
  counts: number[] | null;
  code: string;
  word: string;
}

/** Rows of words. */
export interface WordRowsReply {
  /** The largest magnitude in any of the rows. */
  limit: number;
  counts: (number | null)[] | null;
  code: string;
  words: string[];
}

/** How near each word is to each. */
export interface ComparedReply {
  code: string;
  words: string[];
}

/** The distances from the first word to the others. */
export interface DistancesReply {
  /** How many times closer the nearest is than the farthest; null where the nearest is at no distance. */
  times: number | null;
  code: string;
  words: string[];
}

/** A map of all rows. */
export interface PcaReply {
  /** Rows that hold NaN or infinity. */
  left_out: number;
  code: string;
}

/** How well the map of `words/pca` keeps neighborhoods. */
export interface KeptReply {
  by_chance: number;
  k: number;
  /** How many rows this was counted for. */
  sample: number;
  code: string;
}

/** A value for each row. */
export interface ValuesReply {
  code: string;
  by: "norm" | "count" | "cluster";
}

/** The cluster of each row. */
export interface ClustersReply {
  /** The three words nearest to the center of each cluster. */
  names: string[][];
  sizes: number[];
  code: string;
  by: "norm" | "count" | "cluster";
}

/** All ids, those first that are labeled first. */
export interface OrderReply {
  code: string;
  by: "count" | "center";
}

/** A frame of a map that is being made: `positions` (n, 2) of the rows `ids` (n,); the last one has all fields. */
export interface MapFrame {
  step: number;
  steps: number;
  mapped?: number;
  /** Rows that were placed next to the mapped row that is nearest to them. */
  placed?: number;
  kept?: number;
  by_chance?: number;
  k?: number;
  sample?: number;
  code?: string;
}
