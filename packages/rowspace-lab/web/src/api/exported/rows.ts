// The rows of a table in an exported site, and the searches among them. The numbers are those of rowspace.space, whose functions
// tests/browser/frame/test_exported_site.py compares with these.

import { array, decode } from "../reply";
import { once, site, unpacked } from "./site";

export type Metric = "cosine" | "dot" | "euclidean";

export interface Found {
  ids: number[];
  /** Of each id, rounded to float32 as those of the workbench. */
  scores: Float32Array;
}

export class Rows {
  readonly #ids: Map<string, number>;
  readonly norms: Float64Array;

  constructor(
    readonly words: readonly string[],
    /** (V, d) */
    readonly rows: Float32Array | Float64Array,
    readonly counts: readonly number[] | null,
    /** The code that computes a reply, by route, with ⟪name⟫ in place of each argument. */
    readonly code: Record<string, string>,
  ) {
    this.#ids = new Map(words.map((word, id) => [word, id]));
    this.norms = Float64Array.from(words, (_, id) => Math.sqrt(dot(this.of(id), this.of(id))));
  }

  get dim(): number {
    return this.rows.length / this.words.length;
  }

  id(word: string): number | undefined {
    return this.#ids.get(word);
  }

  /** (d,) */
  of(id: number): Float32Array | Float64Array {
    return this.rows.subarray(id * this.dim, (id + 1) * this.dim);
  }

  /** A row divided by its length; a row of zeros stays zero. */
  unit(id: number): Float64Array {
    const norm = this.norms[id] || 1;
    return Float64Array.from(this.of(id), (value) => value / norm);
  }

  /** The k rows nearest to a query, nearest first; equal scores in the order of ids. By cosine, no rows of zeros. */
  nearest(query: ArrayLike<number>, k: number, metric: Metric, excluded: readonly number[] = []): Found {
    const length = Math.sqrt(dot(query, query));
    const score = (id: number): number => {
      const row = this.of(id);
      if (metric === "euclidean") return distance(query, row);
      return metric === "dot" ? dot(query, row) : dot(query, row) / (length * (this.norms[id] as number));
    };
    const left = (id: number): boolean => !excluded.includes(id) && (metric !== "cosine" || this.norms[id] !== 0);
    return this.best(left, score, k, metric === "euclidean" ? 1 : -1);
  }

  /** The k ids with the largest scores; with the smallest if `sign` is 1. */
  best(left: (id: number) => boolean, score: (id: number) => number, k: number, sign: 1 | -1 = -1): Found {
    const ids = [...this.words.keys()].filter(left);
    const scores = Float32Array.from(this.words, (_, id) => (left(id) ? score(id) : 0));
    ids.sort((one, other) => sign * ((scores[one] as number) - (scores[other] as number)) || one - other);
    const kept = ids.slice(0, k);
    return { ids: kept, scores: Float32Array.from(kept, (id) => scores[id] as number) };
  }
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += ((a[at] as number) - (b[at] as number)) ** 2;
  return Math.sqrt(sum);
}

interface Stored {
  words: string[];
  counts: number[] | null;
  code: Record<string, string>;
}

const tables = new Map<string, Promise<Rows>>();

/** The rows of a table; undefined if the site does not have them. */
export function rowsOf(id: string): Promise<Rows> | undefined {
  if (!site?.tables.includes(id)) return undefined;
  return once(tables, id, load);
}

async function load(id: string): Promise<Rows> {
  const reply = decode<Stored>(await unpacked(`tables/${id || "opened"}.bin`));
  const { words, counts, code } = reply.meta;
  if (!reply.arrays["codes"]) return new Rows(words, array(reply, "rows") as Float64Array, counts, code);
  const codes = array(reply, "codes");
  const scales = array(reply, "scales");
  const signed = new Int8Array(codes.buffer, codes.byteOffset, codes.length);
  const dim = signed.length / words.length;
  const rows = Float32Array.from(signed, (level, at) => level * (scales[Math.floor(at / dim)] as number));
  return new Rows(words, rows, counts, code);
}
