// One recorded step of the sampled rows, and the colors of groups of tokens.

import { array, type Reply } from "../../api/reply";
import type { SnapshotsReply } from "../../api/types.generated";
import { themeColor } from "../../charts/theme-colors";

/** The class colors of the groups; the last one, of tokens that the text does not have, is gray. */
export const groupColor = (group: number, count: number): string =>
  group === count - 1 ? "--quiet" : `--class-${group + 1}`;

/** (n, 4): red, green, blue and weight. */
export function colorsOf(groups: ArrayLike<number>, count: number, element: Element): Uint8Array {
  const palette = Array.from({ length: count }, (_, group) => themeColor(element, groupColor(group, count)));
  const rgba = new Uint8Array(4 * groups.length).fill(255);
  for (let at = 0; at < groups.length; at++) rgba.set(palette[groups[at] as number] ?? [], 4 * at);
  return rgba;
}

/** The map of a step, (n, 2). */
export function mapAt(reply: Reply<SnapshotsReply>, index: number): Float32Array {
  const size = 2 * reply.meta.tokens.length;
  return (array(reply, "positions") as Float32Array).subarray(index * size, (index + 1) * size);
}

/** Where one token has been until a step, (steps, 2). */
export function pathOf(reply: Reply<SnapshotsReply>, place: number, until: number): Float32Array {
  const positions = array(reply, "positions");
  const size = 2 * reply.meta.tokens.length;
  return Float32Array.from(
    { length: 2 * (until + 1) },
    (_, at) => positions[(at >> 1) * size + 2 * place + (at & 1)] as number,
  );
}

/** The places of the tokens, those that are most frequent in the text first. */
export function byFrequency(counts: readonly number[]): Uint32Array {
  return Uint32Array.from(counts, (_, place) => place).sort((a, b) => (counts[b] as number) - (counts[a] as number));
}
