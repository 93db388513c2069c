// The texts of typed and learned tables, kept in the browser, so that they survive a restart of the server; and their edits.

import { onUnknownTable, request } from "../api/client";
import type { OwnTableReply } from "../api/types.generated";

export type Kind = "typed" | "world";

export interface OwnTable {
  id: string;
  kind: Kind;
  text: string;
  /** The dimension of rows learned from sentences. */
  dim: number | null;
}

const STORAGE_KEY = "own-tables";
const MOST = 20;
const restoring = new Map<string, Promise<boolean>>();

/** The kept tables, newest first. */
export function ownTables(): OwnTable[] {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]") as OwnTable[];
  } catch {
    return [];
  }
}

/**
 * Send a text to the server, which makes a table of it, and keep the text, instead of that of the table it `replaces`.
 * Throws an `ApiError`.
 */
export async function makeTable(
  own: Omit<OwnTable, "id">,
  { signal, replaces }: { signal?: AbortSignal; replaces?: string } = {},
): Promise<OwnTableReply> {
  const body = new Blob([own.text], { type: "text/plain" });
  const parameters = { table: undefined, dim: own.dim ?? undefined };
  const { meta } = await request<OwnTableReply>(`tables/${own.kind}`, parameters, { signal, body });
  keep({ ...own, id: meta.id }, replaces);
  return meta;
}

function keep(own: OwnTable, replaces: string | undefined): void {
  const others = ownTables().filter(({ id }) => id !== own.id && id !== replaces);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify([own, ...others].slice(0, MOST)));
  } catch {
    // The storage is full: the table is shown, but not kept.
  }
}

/** Make a table again that the server no longer knows. Requests that fail together send its text once. */
function restore(id: string): Promise<boolean> {
  const own = ownTables().find((other) => other.id === id);
  if (!own) return Promise.resolve(false);
  const running = restoring.get(id) ?? makeTable(own).then(() => true);
  restoring.set(id, running);
  return running.finally(() => restoring.delete(id));
}

onUnknownTable(restore);

/** Swap two words in all sentences, so that each gets the contexts of the other. */
export function swapWords(text: string, one: string, other: string): string {
  return text.replace(/[\p{L}\p{N}_-]+/gu, (word) => (word === one ? other : word === other ? one : word));
}

/** Add a sentence above the others, where it can be seen. */
export function addSentence(text: string, sentence: string): string {
  return sentence.trim() ? `${sentence.trim()}\n${text}` : text;
}
