// The state of the page, and how it shows probabilities and published models.

import { array, type Reply } from "../../api/reply";
import type { TyingReply } from "../../api/types.generated";
import { addressState, choice, number, picked, text } from "../../state/address.svelte";

export const SOURCES = ["table", "example"] as const;
export const HEADS = ["tied", "untied"] as const;
export const FIGURES = ["logits", "matrices"] as const;
export const DTYPES = ["float32", "bfloat16", "float16"] as const;

export const headState = () =>
  addressState({
    /** "" is the server's default for the table. */
    source: choice(["", ...SOURCES]),
    word: text(""),
    dims: text(""),
    values: text(""),
    head: choice(HEADS),
    temperature: number(0, 0, 100), // 0: one at which the distribution is not flat
    figure: choice(FIGURES),
    row: picked(number(-1, -1, 2 ** 31)), // -1: the most probable one
    softcap: number(0, 0, 1000),
    k: number(10, 1, 100),
    dtype: choice(DTYPES),
  });

/** The number of decimals for probabilities up to `largest`. */
export const digitsOf = (largest: number): number =>
  Math.min(12, Math.max(4, 3 - Math.floor(Math.log10(largest || 1))));

export interface Model {
  name: string;
  tied: boolean;
  rows: number;
  dim: number;
  /** The parameters of the head's matrix, and its bytes. */
  matrix: number;
  bytes: number;
  /** All parameters, counting head and table separately. */
  untied: number;
  /** The share of the matrix. */
  share: number;
}

/** The models by descending share of the head. */
export function modelsOf(reply: Reply<TyingReply>): Model[] {
  const [matrices, saved, parameters] = ["matrices", "saved", "parameters"].map((name) => array(reply, name));
  const models = reply.meta.models.map((name, index) => {
    const tied = reply.meta.tied[index] ?? false;
    const matrix = matrices?.[index] ?? 0;
    const untied = (parameters?.[index] ?? 0) + (tied ? matrix : 0);
    const [rows = 0, dim = 0] = reply.meta.sizes[index] ?? [];
    return { name, tied, rows, dim, matrix, bytes: saved?.[index] ?? 0, untied, share: matrix / untied };
  });
  return models.sort((one, other) => other.share - one.share);
}
