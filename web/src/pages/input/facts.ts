// Lines of the matrices that an input's parts are sent as.

import type { NormsReply, PartsReply } from "../../api/types.generated";
import { array, type Reply } from "../../lib/reply";

export type Part = PartsReply["parts"][number];
export type PositionKind = NormsReply["position"];

/** The vector of one token: what a part adds, or another array of the reply. */
export function lineOf(reply: Reply<PartsReply>, name: string, at: number): number[] {
  const { parts, tokens } = reply.meta;
  const part = parts.indexOf(name as Part);
  if (part < 0) return line(array(reply, name), tokens.length, at);
  return line(array(reply, "contributions"), parts.length * tokens.length, part * tokens.length + at);
}

/** A line of a matrix that is sent as one array. */
export function line(values: ArrayLike<number>, lines: number, at: number): number[] {
  const width = lines ? values.length / lines : 0;
  return Array.from({ length: width }, (_, index) => values[at * width + index] as number);
}

export function norm(values: ArrayLike<number>): number {
  return Math.sqrt(Array.from(values).reduce((sum, value) => sum + value * value, 0));
}
