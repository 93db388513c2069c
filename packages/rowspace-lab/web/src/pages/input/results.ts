// The result of each view of the page, in one line.

import type { Reply } from "../../api/reply";
import type { ConcatenatedReply, InitialReply, NormsReply, PartsReply } from "../../api/types.generated";
import { decimal, shortToken } from "../../format";
import { lineOf, norm } from "./state";

const NAMES = { tokens: "token", segments: "segment", positions: "position" };

/** The norms of the parts of a token, and of their sum. */
export function partNorms(reply: Reply<PartsReply>, at: number): string {
  const { on, tokens } = reply.meta;
  const parts = on.map((part) => `${NAMES[part]} ${decimal(norm(lineOf(reply, part, at)))}`);
  return `Norms for “${shortToken(tokens[at] ?? "")}”: ${parts.join(", ")}; their sum ${decimal(norm(lineOf(reply, "total", at)))}`;
}

/** How many numbers the sum and the concatenation have. */
export function widths({ costs }: ConcatenatedReply): string {
  const width = (way: string) => costs.find((cost) => cost.way === way)?.width;
  return `The sum has ${width("added")} numbers per token, the concatenation ${width("concatenated")}`;
}

/** How long the position is next to the scaled rows. */
export function ratioOfNorms({ ratio, rows }: NormsReply): string {
  if (ratio === null) return "The scaled rows are zero";
  return `The position is ${decimal(ratio, 2)} times as long as ${rows === "example" ? "the scaled row" : "the mean scaled row"}`;
}

/** The loss before the first step, and that of equal probabilities. */
export function firstLoss({ loss, blind }: InitialReply): string {
  return `The first loss is ${decimal(loss, 2)}; blind guessing has ${decimal(blind, 2)}`;
}
