// The table that requests name. The URL holds it; `address.svelte.ts` reads and changes it.

import { showTokensOf } from "../shown-tokens";
import type { TableEntry } from "./types.generated";

class CurrentTable {
  /** An id of the server's list; "" for the table that the server was started with. */
  id = $state("");
  /** The name of its file, or else its name in the list, once that has loaded. */
  title = $state("");
  /** The id of the reader's own choice, which a step of a lesson may replace with a table of its own. */
  chosen = $state("");
  /** Whether the text in the editor is not that of the shown table. */
  outdated = $state(false);
}

export const table = new CurrentTable();
showTokensOf(() => table.id);

/** The entry of a table in the server's list; the opened one may be a built-in table that has an id of its own. */
export function entryOf(entries: readonly TableEntry[], id: string): TableEntry | undefined {
  return entries.find((entry) => entry.id === (id || "opened") || (id !== "" && entry.also === id));
}

/**
 * Tables of the same family are edits of one text, between which a page keeps its state.
 *
 * "world-1f" and "small-world" are learned from sentences, "typed-2e" has typed rows; other tables are their own family.
 */
export function familyOf(id: string): string {
  if (id === "small-world" || id.startsWith("world-")) return "world";
  return id.startsWith("typed-") ? "typed" : id;
}
