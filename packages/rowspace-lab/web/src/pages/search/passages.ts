// The passages of a reply with their words: what each adds to the cosine, and which of them BM25 counts.

import { array, type Reply } from "../../api/reply";
import type { FoundPassage, PassagesReply } from "../../api/types.generated";
import { decimal } from "../../format";

/** A part of a passage's name or text. */
export interface Piece {
  text: string;
  /** What its word adds to the cosine; null for what is not a word. */
  share: number | null;
  /** The number of the question's term that it is a form of. */
  term: number | null;
}

export interface Passage extends FoundPassage {
  /** The path and the first line, or page. */
  location: string;
  /** The heading or function, which is encoded with the text. */
  title: Piece[];
  /** The lines of the text. */
  lines: Piece[][];
  /** The words by what they add to the cosine, the largest first. */
  shares: Sum[];
  /** What each term of the question adds to the BM25 score. */
  scores: number[];
}

/** A term of a sum, with its name. */
export interface Sum {
  name: string;
  value: number;
}

/** A range of a text, and the value of it. */
type Range = [begin: number, end: number, value: number];

export function passagesOf(reply: Reply<PassagesReply>): Passage[] {
  const [spans, shares, spanEnds] = [array(reply, "spans"), array(reply, "shares"), array(reply, "span_ends")];
  const [matches, matchEnds, scores] = [array(reply, "matches"), array(reply, "match_ends"), array(reply, "scores")];
  const terms = reply.shapes["scores"]?.[1] ?? 0;
  return reply.meta.passages.map((passage, at) => {
    const words = ranges(spanEnds, at, (word) => [spans[2 * word]!, spans[2 * word + 1]!, shares[word]!]);
    const found = ranges(matchEnds, at, (match) => [
      matches[3 * match]!,
      matches[3 * match + 1]!,
      matches[3 * match + 2]!,
    ]);
    const whole = passage.name ? `${passage.name}\n${passage.text}` : passage.text;
    const start = whole.length - passage.text.length;
    const pieces = cut(whole, words, found);
    return {
      ...passage,
      location: `${passage.path}${passage.is_pdf ? " page " : ":"}${passage.first_line}`,
      title: pieces.filter(({ begin }) => begin < start - 1),
      lines: linesOf(pieces.filter(({ begin }) => begin >= start)),
      shares: summed(words.map(([begin, end, value]) => ({ name: whole.slice(begin, end), value }))),
      scores: Array.from({ length: terms }, (_, term) => scores[at * terms + term]!),
    };
  });
}

function ranges(ends: ArrayLike<number>, at: number, range: (index: number) => Range): Range[] {
  const first = at ? ends[at - 1]! : 0;
  return Array.from({ length: ends[at]! - first }, (_, index) => range(first + index));
}

/** Cut a text at the ends of words, matches and lines. */
export function cut(whole: string, words: Range[], matches: Range[]): (Piece & { begin: number })[] {
  const edges = new Set([0, whole.length]);
  for (const [begin, end] of [...words, ...matches]) edges.add(begin).add(end);
  for (let at = whole.indexOf("\n"); at >= 0; at = whole.indexOf("\n", at + 1)) edges.add(at).add(at + 1);
  const sorted = [...edges].sort((one, other) => one - other);
  const [shareAt, termAt] = [finder(words), finder(matches)];
  return sorted.slice(0, -1).map((begin, index) => ({
    begin,
    text: whole.slice(begin, sorted[index + 1]),
    share: shareAt(begin),
    term: termAt(begin),
  }));
}

/** The value of the range at a place, for places in ascending order. */
function finder(ranges: Range[]): (at: number) => number | null {
  let next = 0;
  return (at) => {
    while (next < ranges.length && ranges[next]![1] <= at) next++;
    const range = ranges[next];
    return range && range[0] <= at ? range[2] : null;
  };
}

function linesOf(pieces: Piece[]): Piece[][] {
  const lines: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece.text === "\n") lines.push([]);
    else lines.at(-1)!.push(piece);
  }
  return lines;
}

/** The sum of the values of each name, the largest first; upper and lower case are one name. */
export function summed(parts: Sum[]): Sum[] {
  const found = new Map<string, Sum>();
  for (const { name, value } of parts) {
    const key = name.toLowerCase();
    const sum = found.get(key);
    if (sum) sum.value += value;
    else found.set(key, { name, value });
  }
  return [...found.values()].sort((one, other) => other.value - one.value);
}

/** The `count` neighboring lines with the most evidence: the number of the first one. */
export function bestLines(lines: Piece[][], count: number, weigh: (piece: Piece) => number): number {
  const weights = lines.map((line) => line.reduce((sum, piece) => sum + weigh(piece), 0));
  let [best, most] = [0, -Infinity];
  for (let first = 0; first === 0 || first + count <= lines.length; first++) {
    const sum = weights.slice(first, first + count).reduce((total, weight) => total + weight, 0);
    if (sum > most + 1e-9) [best, most] = [first, sum];
  }
  return best;
}

/** Lines without the blank ones at both ends. */
export function withoutBlankEnds(lines: Piece[][]): Piece[][] {
  const isBlank = (line?: Piece[]) => line?.every(({ text }) => text.trim() === "") ?? false;
  let [first, end] = [0, lines.length];
  while (isBlank(lines[first])) first++;
  while (end > first && isBlank(lines[end - 1])) end--;
  return lines.slice(first, end);
}

/** A sum as text: its largest terms, and the sum of the others. */
export function written(sums: Sum[], digits: number, most = 5): string {
  const shown = sums.slice(0, most).map(({ name, value }) => ({ name: `“${name}”`, value }));
  const others = sums.slice(most);
  if (others.length) {
    const value = others.reduce((sum, each) => sum + each.value, 0);
    shown.push({ name: `${others.length} ${others.length === 1 ? "other" : "others"}`, value });
  }
  const terms = shown.map(({ name, value }, at) => {
    const sign = value < 0 ? "\u2212 " : at ? "+ " : "";
    return `${sign}${name} ${decimal(Math.abs(value), digits)}`;
  });
  return terms.join(" ");
}
