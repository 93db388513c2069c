// A sentence about each station, with the numbers of the open table.

import type { Reply } from "../../api/reply";
import type { ForwardReply, MatrixReply, NextTokensReply } from "../../api/types.generated";
import { decimal, shortToken, whole } from "../../format";

const LOADING = "Loading …";
const plural = (count: number, one: string): string => `${whole(count)} ${one}${count === 1 ? "" : "s"}`;

/** The notes, in the order of the stations; `missing` says why X cannot be computed. */
export function notesOf(
  forward: Reply<ForwardReply>,
  matrix?: Reply<MatrixReply>,
  next?: Reply<NextTokensReply>,
  missing?: string,
): string[] {
  const { text, pieces, tokens, vocabulary } = forward.meta;
  const dim = forward.shapes["rows"]?.[1] ?? 0;
  const lost = pieces.length - tokens.length;
  const none = tokens.length ? (missing ?? LOADING) : "No piece of this text has a row in the table.";
  const later = tokens.length && !missing ? LOADING : "Needs the station above.";
  return [
    `${plural(text.length, "character")}, which no network can read.`,
    `${plural(pieces.length, "piece")}${lost ? `; ${whole(lost)} without a row` : " that the table knows"}.`,
    `The numbers of their rows, out of ${whole(vocabulary)}.`,
    `Each id picks its row of ${plural(dim, "number")}.`,
    matrix ? added(matrix) : none,
    matrix ? `${whole(tokens.length)} × ${whole(dim)} numbers, which a network reads.` : later,
    next ? ranked(next) : matrix ? (missing ?? LOADING) : later,
  ];
}

function added({ meta: { scale, untrained } }: Reply<MatrixReply>): string {
  const row = scale === 1 ? "row" : `row × ${decimal(scale, 2)}`;
  return `${row} + position${untrained ? " (random here)" : ""}, or order is lost.`;
}

function ranked({ meta: { names } }: Reply<NextTokensReply>): string {
  const best = names[0] === undefined ? "" : ` Here “${shortToken(names[0])}” is first.`;
  return `A score for every token.${best}`;
}
