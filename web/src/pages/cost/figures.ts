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

/** A published model, or the open table. */
export interface Mark {
  name: string;
  vocabulary: number;
  dimension: number;
  tied: boolean;
  /** Parameters of its input and head, and their share of the whole model where that is known. */
  parameters: number;
  share: number | null;
  paper?: string;
  source?: string;
}

/** `low` to `high` in steps that grow by a quarter of an octave or so, with `others` between them. */
export function logSteps(low: number, high: number, others: Iterable<number>): number[] {
  const steps = new Set(others);
  for (let power = Math.log2(low); power <= Math.log2(high); power += 0.25) {
    const unit = 2 ** Math.max(0, Math.floor(power) - 3);
    steps.add(Math.round(2 ** power / unit) * unit);
  }
  return [...steps].filter((step) => step >= low && step <= high).sort((a, b) => a - b);
}

/** A large number in few characters: 124 M. */
export function short(value: number): string {
  const units = ["", "k", "M", "G", "T", "P"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${Number((value / 1000 ** power).toPrecision(3))}${power ? `\u202f${units[power]}` : ""}`;
}
