// What the server tells of costs.

export interface Formula {
  name: string;
  formula: string;
  /** The formula with its numbers in place. */
  numbers: string;
  value: number;
  unit: "parameters" | "bytes" | "operations";
}

export interface Figures {
  dtypes: string[];
  formulas: Formula[];
  code: string;
}

export interface Models {
  models: { name: string; tied: boolean; paper: string; source: string }[];
  /** The table that is open. */
  table: { vocabulary: number; dimension: number; dtype: string };
  code: string;
}

/** A part of the open table, at the size of a picture. */
export interface Part {
  /** The size of the whole table. */
  rows: number;
  columns: number;
  /** The token of the first row that each row of cells stands for. */
  tokens: string[];
  /** Of how many rows a cell is made, at most. */
  rows_read: number;
  /** A magnitude that nearly all numbers of the table stay below. */
  limit: number;
  code: string;
}
