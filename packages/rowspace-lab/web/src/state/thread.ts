// The thread: the word and the sentence that all pages share. Each page has them in its URL, also if it does not use them.

import { changed } from "./history-entries";

export const PARTS = ["word", "text"] as const;
export type Part = (typeof PARTS)[number];

/** The word and the sentence; "" if the page shows its own default. */
export type Thread = Record<Part, string>;

/** The parts of the thread that a page shows, each with the parameters that a change of it resets. */
export type ThreadUse = Partial<Record<Part, readonly string[]>>;

export function threadOf(search: string): Thread {
  const parameters = new URLSearchParams(search);
  return { word: parameters.get("word") ?? "", text: parameters.get("text") ?? "" };
}

/** The query string of a page with the word and the sentence of a thread. */
export function withThread(search: string, thread: Thread, use: ThreadUse = {}): string {
  const changes = PARTS.flatMap((part) => threadChanges(search, part, thread[part], use));
  return changes.reduce((search, [name, values]) => changed(search, name, values), search);
}

/**
 * The parameters that change when a part of the thread is set, with their values.
 *
 * A page with several words has the word of the thread first, and keeps the others while there is one.
 */
export function threadChanges(
  search: string,
  part: Part,
  value: string,
  use: ThreadUse = {},
): [name: string, values: string[]][] {
  const [first = "", ...others] = new URLSearchParams(search).getAll(part);
  if (first === value) return [];
  const values = value ? [value, ...others.filter((other) => other !== value)] : [];
  return [[part, values], ...(use[part] ?? []).map((name): [string, string[]] => [name, []])];
}
