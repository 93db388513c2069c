// Answers the requests of an exported site: from the rows of the table, or else with what was recorded.

import type { Reply } from "../reply";
import { computed, isComputed } from "./computed";
import { rowsOf } from "./rows";
import { keyOf, recorded, site } from "./site";

const ANSWER = "lessons/answer";

/** The reply to a request, or undefined if the site has none. Throws `UnknownWord`. */
export async function answer(path: string, parameters: URLSearchParams): Promise<Reply<unknown> | undefined> {
  const query = new URLSearchParams(parameters);
  query.delete("table");
  const named = parameters.get("table") ?? "";
  const isFirst = named === site?.also && !path.startsWith("lessons/"); // lessons tell the two ids apart
  const id = isFirst || /^(training|jobs)\//.test(path) ? "" : named; // a run reads the same text with any table
  if (path === ANSWER) return answered(query, id);
  const found = await recorded(path, id, keyOf(query));
  const rows = !found && isComputed(path, query) ? rowsOf(id) : undefined;
  return rows ? computed(path, query, await rows) : found;
}

/** The answer to a question, which was recorded with the distance up to which a reader's number is right. */
async function answered(query: URLSearchParams, id: string): Promise<Reply<unknown> | undefined> {
  const given = Number(query.get("given"));
  query.delete("given");
  const found = await recorded(ANSWER, id, keyOf(query));
  const meta = found?.meta as { value: number; margin: number } | undefined;
  return found && meta && { ...found, meta: { ...meta, right: Math.abs(given - meta.value) <= meta.margin } };
}
