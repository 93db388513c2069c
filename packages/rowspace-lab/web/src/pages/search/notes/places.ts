// The places of the notes of the lesson on search.

import { array, type Reply } from "../../../api/reply";
import type { NoteQuestionsReply, RankedNotesReply } from "../../../api/types.generated";
import { ordinal } from "../../../format";
import type { Mode } from "../state";

/** The columns of a table of places, in the order in which they are shown. */
export const COLUMNS = ["lexical", "dense", "hybrid"] as const;
export const COLUMN_NAMES: Record<Mode, string> = { lexical: "words", dense: "vectors", hybrid: "both" };
const FIELDS = { lexical: "by_words", dense: "by_vectors", hybrid: "by_both" } as const;

/** The places by one ranking; 0 where it has none. */
export function placesBy(reply: Reply<RankedNotesReply> | Reply<NoteQuestionsReply>, mode: Mode): number[] {
  return Array.from(array(reply, FIELDS[mode]));
}

/** The first notes by a ranking, and the right one if it is not among them. */
export function firstNotes(places: readonly number[], count: number, right: number | null): number[] {
  const numbers = places.map((_, note) => note).filter((note) => places[note]);
  const sorted = numbers.sort((one, other) => places[one]! - places[other]!);
  const first = sorted.slice(0, count);
  return right === null || first.includes(right) ? first : [...first, right];
}

/** "1st by vectors, 3rd by both, and not found by words". */
export function placesText(at: Record<Mode, number>): string {
  const found = COLUMNS.filter((mode) => at[mode]).map((mode) => `${ordinal(at[mode])} by ${COLUMN_NAMES[mode]}`);
  const missing = COLUMNS.filter((mode) => !at[mode]).map((mode) => `not found by ${COLUMN_NAMES[mode]}`);
  const all = [...found, ...missing];
  return all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all.at(-1)}` : (all[0] ?? "");
}

/** A text in parts, of which some are words of a list. */
export function markedWords(text: string, words: readonly string[]): { text: string; marked: boolean }[] {
  return text
    .split(/(\w+)/u)
    .filter(Boolean)
    .map((part) => ({ text: part, marked: words.includes(part.toLowerCase()) }));
}
