// A sentence about each station, with the numbers of the open table.

import type { Reply } from "../../api/reply";
import type { ForwardReply, MatrixReply, NearestReply } from "../../api/types.generated";
import { decimal, whole } from "../../format";

const LOADING = "Loading …";
const plural = (count: number, one: string): string => `${whole(count)} ${one}${count === 1 ? "" : "s"}`;

/** The notes, in the order of the stations; `missing` says why X cannot be computed. */
export function notesOf(
  forward: Reply<ForwardReply>,
  matrix?: Reply<MatrixReply>,
  nearest?: Reply<NearestReply>,
  missing?: string,
): string[] {
  const { text, pieces, tokens, vocabulary } = forward.meta;
  const dim = forward.shapes["rows"]?.[1] ?? 0;
  const lost = pieces.length - tokens.length;
  const none = tokens.length ? (missing ?? LOADING) : "No piece of this text has a row in the table.";
  return [
    `${plural(text.length, "character")}, which no network can read.`,
    `${plural(pieces.length, "piece")}${lost ? `; ${whole(lost)} without a row` : " that the table knows"}.`,
    `The numbers of their rows, out of ${whole(vocabulary)}.`,
    `Each id picks its row of ${plural(dim, "number")}.`,
    matrix ? added(matrix) : none,
    nearest ? similar(nearest) : tokens.length ? LOADING : "Needs a row.",
  ];
}

function added({ meta: { scale, untrained } }: Reply<MatrixReply>): string {
  const row = scale === 1 ? "row" : `row × ${decimal(scale, 2)}`;
  return `${row} + position${untrained ? " (random here)" : ""}, or order is lost.`;
}

function similar({ meta: { names } }: Reply<NearestReply>): string {
  const lost = names.some((each) => !each.length) ? "; a row of zeros has no neighbors" : "";
  return `Words with similar uses have similar rows${lost}.`;
}
