// Replies that an exported site computes from the rows of a table, for words that the reader chooses. Each function is named after
// the figure function of Python that it stands for, and has its defaults.

import type { NumericArray, Reply } from "../reply";
import { Plane, ranked, target } from "./analogy";
import { distance, dot, type Metric, type Rows } from "./rows";

/** A word that the table does not have. */
export class UnknownWord extends Error {
  constructor(word: string) {
    super(`token '${word}' is not in the vocabulary of this table; choose one that the search field suggests`);
  }
}

type Argument = string | number | boolean | readonly string[];
type Compute = (
  rows: Rows,
  query: URLSearchParams,
) => Omit<Reply<Record<string, unknown>>, "shapes" | "shown"> & {
  shapes?: Record<string, number[]>;
};

const tokens = (rows: Rows, ids: readonly number[]) => ({
  tokens: ids.map((id) => rows.words[id] as string),
  norms: ids.map((id) => rows.norms[id] as number),
  counts: rows.counts && ids.map((id) => rows.counts?.[id] as number),
});

function idOf(rows: Rows, word: string): number {
  const id = rows.id(word);
  if (id === undefined) throw new UnknownWord(word);
  return id;
}

function wordsOf(rows: Rows, query: URLSearchParams): { words: string[]; ids: number[] } {
  const words = [...new Set(query.getAll("word"))];
  return { words, ids: words.map((word) => idOf(rows, word)) };
}

const integer = (query: URLSearchParams, name: string, usual: number): number => Number(query.get(name) ?? usual);
const metricOf = (query: URLSearchParams): Metric => (query.get("metric") ?? "cosine") as Metric;

/** The code of a route with its arguments. */
function code(rows: Rows, route: string, given: Record<string, Argument>): string {
  return (rows.code[route] ?? "").replace(/⟪(\w+)⟫/g, (blank, name: string) =>
    name in given ? literal(given[name] as Argument) : blank,
  );
}

/** A value as Python writes it. */
function literal(value: Argument): string {
  if (typeof value === "string") return value.includes("'") && !value.includes('"') ? `"${value}"` : quoted(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "number" ? String(value) : `[${value.map(literal).join(", ")}]`;
}
const quoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&").replace(/\n/g, "\\n")}'`;

const search: Compute = (rows, query) => {
  const part = (query.get("part") ?? "").toLowerCase();
  const k = integer(query, "k", 12);
  const folded = rows.words.map((word) => word.toLowerCase());
  const place = (id: number): number => (folded[id] === part ? 0 : folded[id]?.startsWith(part) ? 1 : 2);
  const found = [...folded.keys()].filter((id) => folded[id]?.includes(part));
  found.sort((one, other) => place(one) - place(other) || one - other);
  const ids = found.slice(0, k);
  const meta = { found: found.length, ...tokens(rows, ids), code: code(rows, "words/search", { part, k }) };
  return { meta, arrays: { ids: Int32Array.from(ids) } };
};

const byId: Compute = (rows, query) => {
  const ids = (query.get("ids") ?? "0").split(",").map(Number);
  return { meta: { ...tokens(rows, ids), code: "" }, arrays: { ids: Int32Array.from(ids) } };
};

const wordRows: Compute = (rows, query) => {
  const { words, ids } = wordsOf(rows, query);
  const found = ids.flatMap((id) => [...rows.of(id)]);
  return {
    meta: {
      limit: Math.max(0, ...found.map(Math.abs)),
      counts: tokens(rows, ids).counts,
      words,
      code: code(rows, "words/rows", { words }),
    },
    arrays: {
      rows: rows.rows instanceof Float32Array ? Float32Array.from(found) : Float64Array.from(found),
      norms: Float64Array.from(ids, (id) => rows.norms[id] as number),
      ids: Int32Array.from(ids),
    },
    shapes: { rows: [ids.length, rows.dim] },
  };
};

const neighbors: Compute = (rows, query) => {
  const word = query.get("word") ?? "";
  const id = idOf(rows, word);
  const [k, metric] = [integer(query, "k", 10), metricOf(query)];
  const { ids, scores } = rows.nearest(rows.of(id), k, metric, [id]);
  const meta = { ...tokens(rows, ids), word, code: code(rows, "words/neighbors", { word, k, metric }) };
  return { meta, arrays: { scores, ids: Int32Array.from(ids) } };
};

const compare: Compute = (rows, query) => {
  const { words, ids } = wordsOf(rows, query);
  const metric = metricOf(query);
  const score = (one: number, other: number): number =>
    metric === "euclidean"
      ? distance(rows.of(one), rows.of(other))
      : metric === "dot"
        ? dot(rows.of(one), rows.of(other))
        : rows.norms[one] && rows.norms[other]
          ? dot(rows.unit(one), rows.unit(other))
          : NaN;
  const matrix = Float64Array.from(ids.flatMap((one) => ids.map((other) => score(one, other))));
  const meta = { words, code: code(rows, "words/compare", { words, metric }) };
  return { meta, arrays: { matrix }, shapes: { matrix: [ids.length, ids.length] } };
};

const distances: Compute = (rows, query) => {
  const { words, ids } = wordsOf(rows, query);
  const [first = 0, ...others] = ids;
  const found = Float64Array.from(others, (id) => distance(rows.of(first), rows.of(id)));
  const [least, most] = [Math.min(...found), Math.max(...found)];
  const times = found.length && least > 0 ? most / least : null;
  return { meta: { times, words, code: code(rows, "words/distances", { words }) }, arrays: { distances: found } };
};

const pair: Compute = (rows, query) => {
  const words = [query.get("a") ?? "", query.get("b") ?? ""];
  const ids = words.map((word) => idOf(rows, word));
  const [a, b] = ids.map((id) => Float64Array.from(rows.of(id))) as [Float64Array, Float64Array];
  const factors = Float64Array.from({ length: 61 }, (_, at) => (at - 20) / 10);
  const cosine = dot(rows.unit(ids[0]!), rows.unit(ids[1]!));
  const stretched = [...factors].map((factor) => b.map((value) => factor * value));
  return {
    meta: {
      cosine,
      degrees: (Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI,
      words,
      code: code(rows, "words/pair", { a: words[0]!, b: words[1]! }),
    },
    arrays: {
      rows: Float64Array.of(...a, ...b),
      products: a.map((value, at) => value * (b[at] as number)),
      norms: Float64Array.from(ids, (id) => rows.norms[id] as number),
      factors,
      dots: Float64Array.from(stretched, (other) => dot(a, other)),
      cosines: factors.map((factor) => Math.sign(factor) * cosine),
      distances: Float64Array.from(stretched, (other) => distance(a, other)),
    },
    shapes: { rows: [2, rows.dim] },
  };
};

const answers: Compute = (rows, query) => {
  const question = ["a", "b", "c"].map((name) => query.get(name) ?? "");
  const ids = question.map((word) => idOf(rows, word));
  const [expected, method] = [query.get("expected") ?? "", query.get("method") ?? "3cosadd"];
  const keep = query.get("keep_inputs") === "true" || new Set(question).size === rows.words.length;
  const k = integer(query, "k", 10);
  const units = ids.map((id) => rows.unit(id));
  const all = ranked(rows, method, units);
  const allowed = [...all.ids.keys()].filter((at) => keep || !ids.includes(all.ids[at] as number));
  const placeOf = (id: number, places: number[]) => {
    const at = places.findIndex((place) => all.ids[place] === id);
    return at < 0 ? { rank: null, score: null } : { rank: at + 1, score: all.scores[places[at] as number] as number };
  };
  const place = expected ? placeOf(idOf(rows, expected), allowed) : null;
  const ranks = Array.from({ length: Math.min(k, allowed.length) }, (_, at) => at + 1);
  if (place?.rank && place.rank > ranks.length) ranks.push(place.rank);
  const places = ranks.map((rank) => allowed[rank - 1] as number);
  const found = places.map((at) => rows.unit(all.ids[at] as number));
  const corners = [...units, target(units)];
  const cosine = (one: Float64Array, other: Float64Array) => dot(one, other) / Math.sqrt(dot(other, other) || 1);
  const plane = new Plane(units);
  const given = { a: question[0]!, b: question[1]!, c: question[2]!, expected, method, keep_inputs: keep, k };
  return {
    meta: {
      question,
      expected,
      keep_inputs: keep,
      tokens: places.map((at) => rows.words[all.ids[at] as number] as string),
      of: allowed.length,
      inputs: ids.map((id) => placeOf(id, [...all.ids.keys()])),
      place,
      code: code(rows, "analogies/answers", given),
    },
    arrays: {
      ranks: Int32Array.from(ranks),
      scores: Float32Array.from(places, (at) => all.scores[at] as number),
      cosines: Float64Array.from(found.flatMap((row) => corners.map((corner) => cosine(row, corner)))),
      corners: Float64Array.from(corners.flatMap((corner) => plane.coordinates(corner))),
      points: Float64Array.from(found.flatMap((row) => plane.coordinates(row))),
      shares: Float64Array.from(found, (row) => plane.share(row)),
    },
    shapes: { cosines: [found.length, 4], corners: [4, 2], points: [found.length, 2] },
  };
};

/** The functions by route, with the parameters that a request must have; without them it was recorded. */
const COMPUTED: Record<string, [compute: Compute, ...required: string[]]> = {
  "words/search": [search, "part"],
  "words/tokens": [byId, "ids"],
  "words/rows": [wordRows, "word"],
  "words/neighbors": [neighbors, "word"],
  "words/compare": [compare, "word"],
  "words/distances": [distances, "word"],
  "words/pair": [pair, "a", "b"],
  "analogies/answers": [answers, "a", "b", "c"],
};

/** Whether the reply to a request can be computed from the rows. */
export function isComputed(path: string, query: URLSearchParams): boolean {
  return COMPUTED[path]?.slice(1).every((name) => query.has(name as string)) ?? false;
}

/** Compute the reply to a request for which `isComputed` is true. Throws `UnknownWord`. */
export function computed(path: string, query: URLSearchParams, rows: Rows): Reply<unknown> {
  const [compute] = COMPUTED[path]!;
  const { meta, arrays, shapes } = compute(rows, query);
  const flat = (each: NumericArray): number[] => [each.length];
  const all = Object.fromEntries(Object.entries(arrays).map(([name, each]) => [name, shapes?.[name] ?? flat(each)]));
  return { meta, arrays, shapes: all };
}
