// The answers to an analogy.

import type { AnswersReply } from "../../api/types.generated";
import type { Reply } from "../../lib/reply";

export type Answered = Reply<AnswersReply>;

/** 1st, 2nd, 3rd, 4th, 11th, 86th … */
export function ordinal(rank: number): string {
  const last = Math.floor(rank / 10) % 10 === 1 || rank % 10 > 3 ? 0 : rank % 10;
  return rank.toLocaleString("en") + "thstndrd".slice(2 * last, 2 * last + 2);
}
