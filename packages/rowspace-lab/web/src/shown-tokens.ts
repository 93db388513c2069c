// What is shown of the tokens of byte-level tables, as the server says with each reply; other tokens are shown as they are.

import { SvelteMap } from "svelte/reactivity";

/** By the id of a table and a token, what is shown of it. */
const shown = new SvelteMap<string, string>();
let current = (): string => "";

/** Set the function that returns the id of the current table. */
export function showTokensOf(id: () => string): void {
  current = id;
}

/** Add what is shown of the tokens of a table. */
export function addShownTokens(texts: Record<string, string>, id: string): void {
  for (const [token, text] of Object.entries(texts)) shown.set(key(id, token), text);
}

/** What is shown of a token of the current table. */
export function shownToken(token: string): string {
  return shown.get(key(current(), token)) ?? token;
}

const key = (id: string, token: string): string => `${id} ${token}`; // an id has no blank
