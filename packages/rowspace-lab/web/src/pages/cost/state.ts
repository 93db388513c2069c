// The state of the page, the values of its sliders, and the window on the matrix.

import { addressState, choice, flag, number } from "../../state/address.svelte";

export const DTYPES = ["float32", "bfloat16", "float16", "int8", "int4"] as const;
export const OPTIMIZERS = ["adamw", "adam", "adagrad", "momentum", "sgd"] as const;
export const OPTIMIZER_NAMES: Record<string, string> = {
  adamw: "AdamW",
  adam: "Adam",
  adagrad: "Adagrad",
  momentum: "momentum",
  sgd: "SGD",
};
export const FIGURES = ["memory", "matrix", "widths", "tables"] as const;
const MAX_ROWS = 100_000_000;

export const costState = () =>
  addressState({
    vocabulary: number(0, 0, MAX_ROWS), // 0: that of the open table
    dimension: number(0, 0, 1_000_000),
    figure: choice(FIGURES),
    dtype: choice(DTYPES),
    optimizer: choice(OPTIMIZERS),
    tied: flag(true),
    tokens: number(1024, 1, MAX_ROWS),
    by: choice(["sample", "mean"] as const),
    top: number(0, 0, MAX_ROWS),
    bottom: number(0, 0, MAX_ROWS), // 0: the last row
    left: number(0, 0, MAX_ROWS),
    right: number(0, 0, MAX_ROWS), // 0: the last column
  });

/** A published model, or the open table. */
export interface Mark {
  name: string;
  vocabulary: number;
  dimension: number;
  tied: boolean;
  position_scheme: string;
  num_layers: number | null;
  /** Parameters of the input and the head, and their share of the whole model if known. */
  parameters: number;
  share: number | null;
  paper?: string;
  source?: string;
}

/** The rows and columns of the matrix that are shown. */
export interface MatrixWindow {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** The fewest rows and columns that zooming in shows. */
export const MIN_WINDOW = { rows: 12, columns: 8 };

/** Zoom by a factor (below 1: in) around a point, whose coordinates are fractions of the window. */
export function zoom(
  window: MatrixWindow,
  factor: number,
  x: number,
  y: number,
  rows: number,
  columns: number,
): MatrixWindow {
  const [top, bottom] = span(window.top, window.bottom, factor, y, Math.min(rows, MIN_WINDOW.rows), rows);
  const [left, right] = span(window.left, window.right, factor, x, Math.min(columns, MIN_WINDOW.columns), columns);
  return { top, bottom, left, right };
}

/** Move by fractions of the window. */
export function pan(window: MatrixWindow, x: number, y: number, rows: number, columns: number): MatrixWindow {
  const [top, bottom] = shift(window.top, window.bottom, y, rows);
  const [left, right] = shift(window.left, window.right, x, columns);
  return { top, bottom, left, right };
}

function span(
  first: number,
  end: number,
  factor: number,
  about: number,
  least: number,
  most: number,
): [number, number] {
  const size = Math.max(least, Math.min(most, Math.round((end - first) * factor)));
  const from = Math.round(first + about * (end - first - size));
  return within(from, size, most);
}

function shift(first: number, end: number, share: number, most: number): [number, number] {
  const by = share * (end - first);
  return within(first + (by > 0 ? Math.ceil(by) : Math.floor(by)), end - first, most);
}

function within(from: number, size: number, most: number): [number, number] {
  const first = Math.max(0, Math.min(most - size, from));
  return [first, first + size];
}
