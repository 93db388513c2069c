// Tables of vectors, for `DataTable`.

import { shownToken } from "../shown-tokens";
import type { Column, Value } from "./DataTable.svelte";

export interface Shown {
  columns: Column[];
  count: number;
  row: (index: number) => Value[];
}

/** A row per dimension and a column per vector; `values` concatenates the vectors. */
export function dimensionTable(names: string[], values: ArrayLike<number>): Shown {
  const dimensions = names.length ? values.length / names.length : 0;
  return {
    columns: [{ name: "dimension", kind: "whole" }, ...names.map((name) => named(shownToken(name)))],
    count: dimensions,
    row: (index) => [index, ...names.map((_, at) => values[at * dimensions + index] ?? null)],
  };
}

/** A row per dimension and a column per vector. */
export function vectorTable(vectors: [name: string, values: ArrayLike<number>][]): Shown {
  return {
    columns: [{ name: "dimension", kind: "whole" }, ...vectors.map(([name]) => named(name))],
    count: vectors[0]?.[1].length ?? 0,
    row: (index) => [index, ...vectors.map(([, values]) => values[index] ?? null)],
  };
}

const LONGEST = 24;
export const shortened = (name: string) => (name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name);
const named = (name: string): Column => ({ name: shortened(name), kind: "number" });
