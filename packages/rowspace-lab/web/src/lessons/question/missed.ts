// Which questions were answered wrong, and in which lesson each of them comes back.

/** A question that was answered wrong. */
export interface Missed {
  lesson: number;
  name: string;
  /** The id of the table that it is asked about; "" for the reader's. */
  table: string;
  /** The first lesson that asks it again. */
  at: number;
}

export type Asked = Omit<Missed, "at">;

const AGAIN = 3; // lessons later, after the first return
const MOST = 3; // at once

/** The missed questions that a lesson starts with: the oldest few; the others wait for the next lesson. */
export function dueIn(missed: readonly Missed[], lesson: number): Missed[] {
  return missed.filter((question) => question.lesson !== lesson && question.at <= lesson).slice(0, MOST);
}

/**
 * The missed questions that the list of lessons starts with: the oldest few of those that no lesson asks again, and
 * when the last lesson is done, of all.
 */
export function dueInList(missed: readonly Missed[], last: number, lastIsDone: boolean): Missed[] {
  return missed.filter((question) => lastIsDone || question.at > last).slice(0, MOST);
}

/**
 * The missed questions after an answer in lesson `current`.
 *
 * A question that is missed in its own lesson returns in the next one, and if it is missed there, three lessons later.
 * The right answer, and the second return, remove it. The list of lessons counts as the lesson after the last.
 */
export function afterAnswer(missed: readonly Missed[], asked: Asked, right: boolean, current: number): Missed[] {
  const before = missed.find((question) => isSame(question, asked));
  const others = missed.filter((question) => question !== before);
  if (right) return others;
  if (current === asked.lesson) return [...others, { ...asked, at: asked.lesson + 1 }];
  const returnsAgain = before?.at === asked.lesson + 1;
  return returnsAgain ? [...others, { ...asked, at: current + AGAIN }] : others;
}

function isSame(one: Asked, other: Asked): boolean {
  return one.lesson === other.lesson && one.name === other.name;
}
