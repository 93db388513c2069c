// The compared tokens as they are drawn, and the limit of what chance explains.

import { array, type Reply } from "../../api/reply";
import type { TokensReply } from "../../api/types.generated";

export interface Mark {
  token: string;
  /** Its count, or its place in the first table, at least 1. */
  at: number;
  kept: number;
  overlap: number;
  /** NaN where widths differ. */
  cosine: number;
  /** What it kept in each table of the null. */
  chance: number[];
  /** NaN without a null. */
  limit: number;
  /** Whether it changed by more than chance explains. */
  beyond: boolean;
}

/** The compared tokens, most changed first. */
export function marksOf(reply: Reply<TokensReply>): Mark[] {
  const [at, kept, overlaps, cosines, limits] = ["at", "kept", "overlaps", "cosines", "limits"].map((name) =>
    array(reply, name),
  );
  const chance = array(reply, "chance");
  const [tables = 0, count = 0] = reply.shapes["chance"] ?? [];
  return reply.meta.tokens.map((token, index) => {
    const limit = limits?.[index] ?? NaN;
    const value = kept?.[index] ?? NaN;
    return {
      token,
      at: Math.max(1, at?.[index] ?? 1),
      kept: value,
      overlap: overlaps?.[index] ?? NaN,
      cosine: cosines?.[index] ?? NaN,
      chance: Array.from({ length: tables }, (_, number) => chance[number * count + index] ?? NaN),
      limit,
      beyond: value < limit,
    };
  });
}

/** The limit of what chance explains as a line of steps, by count; empty without a null. */
export function limitSteps(marks: readonly Mark[]): { at: number; limit: number }[] {
  const known = marks.filter(({ limit }) => !Number.isNaN(limit)).sort((one, two) => one.at - two.at);
  return known.filter(({ limit }, index) => limit !== known[index - 1]?.limit);
}
