// Tables of the Pipeline and Input pages.

import type { Piece } from "../../api/types.generated";
import type { Column, Value } from "../../components/DataTable.svelte";

export interface Shown {
  columns: Column[];
  count: number;
  row: (index: number) => Value[];
}

/** A row per piece of a text. */
export function pieceTable(pieces: Piece[]): Shown {
  return {
    columns: [{ name: "text" }, { name: "token", kind: "token" }, { name: "id", kind: "whole" }, { name: "row" }],
    count: pieces.length,
    row: (index) => {
      const piece = pieces[index] as Piece;
      return [shortened(piece.text), piece.token, piece.row ? piece.id : null, piece.row ? "yes" : "none"];
    },
  };
}

/** A row per dimension and a column per vector; `values` concatenates the vectors. */
export function dimensionTable(names: string[], values: ArrayLike<number>): Shown {
  const dimensions = names.length ? values.length / names.length : 0;
  return {
    columns: [{ name: "dimension", kind: "whole" }, ...names.map(named)],
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
