// One recorded step of the sampled rows, and the colors of groups of tokens.

import { array, type Reply } from "../../api/reply";
import type { SnapshotsReply } from "../../api/types.generated";
import { themeColor } from "../../charts/theme-colors";
import { between } from "../../map/tween";
import type { Resource } from "../../state/resource.svelte";

/** The snapshots of a run. While they load, those of the run before are shown, whose tokens this one may lack. */
export const snapshotsOf = ({ reply, parameters }: Resource<SnapshotsReply>, run: string | undefined) =>
  parameters.run === run ? reply : undefined;

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

/** The map of a step, (n, 2); at 2.5, half way from the third to the fourth one. */
export function mapAt(reply: Reply<SnapshotsReply>, index: number): Float32Array {
  const size = 2 * reply.meta.tokens.length;
  const of = (step: number) => (array(reply, "positions") as Float32Array).subarray(step * size, (step + 1) * size);
  const step = Math.floor(index);
  return step === index ? of(step) : between(of(step), of(step + 1), index - step);
}

/** Where one token has been until a step, (steps, 2). */
export function pathOf(reply: Reply<SnapshotsReply>, place: number, until: number): Float32Array {
  const positions = array(reply, "positions");
  const size = 2 * reply.meta.tokens.length;
  return Float32Array.from(
    { length: 2 * (Math.floor(until) + 1) },
    (_, at) => positions[(at >> 1) * size + 2 * place + (at & 1)] as number,
  );
}

/** The places of the tokens, those that are most frequent in the text first. */
export function byFrequency(counts: readonly number[]): Uint32Array {
  return Uint32Array.from(counts, (_, place) => place).sort((a, b) => (counts[b] as number) - (counts[a] as number));
}

/** The ids of the most frequent tokens that begin a word; of all tokens if none does. */
export function frequentWords(reply: Reply<SnapshotsReply>): number[] {
  const [ids, groups] = [array(reply, "ids"), array(reply, "groups")];
  const places = Array.from(byFrequency(reply.meta.counts));
  const words = places.filter((place) => groups[place] === 0);
  return (words.length ? words : places).map((place) => ids[place] as number);
}

const COMPARED = ["␣can", "␣may", "␣function", "cat", "dog", "king"]; // of each text two words of similar use, and another

/** The ids of three watched tokens: those of a comma-separated list, else some by default. */
export function comparedOf(
  { tokens, watched }: Pick<SnapshotsReply, "tokens" | "watched">,
  ids: ArrayLike<number>,
  wanted: string,
): number[] {
  const given = wanted.split(",").map(Number);
  if (wanted && given.every((id) => watched.includes(id))) return given;
  const preferred = COMPARED.map((token) => ids[tokens.indexOf(token)]).filter((id) => watched.includes(id ?? -1));
  return [...new Set([...preferred, ...watched])].slice(0, 3) as number[];
}

/** The vector of one of the compared tokens at a step, of an array (steps, tokens, d). */
export function atStep(reply: Reply<unknown>, name: string, index: number, token: number): ArrayLike<number> {
  const [, tokens = 1, dim = 0] = reply.shapes[name] ?? [];
  const start = (index * tokens + token) * dim;
  return array(reply, name).subarray(start, start + dim);
}

/** The numbers of one of the compared tokens at all steps, of an array (steps, tokens). */
export function column(reply: Reply<unknown>, name: string, token: number): Float64Array {
  const [steps = 0, tokens = 1] = reply.shapes[name] ?? [];
  const values = array(reply, name);
  return Float64Array.from({ length: steps }, (_, at) => values[at * tokens + token] as number);
}
