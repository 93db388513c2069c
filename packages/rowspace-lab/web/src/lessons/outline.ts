// A lesson's blocks as an introduction, steps with a figure each, and the end.

import type { LessonBlock } from "../api/types.generated";

export interface Step {
  figure: LessonBlock;
  /** The question that the figure answers; until then the figure is held back. */
  question?: LessonBlock;
  /** The text about the figure. */
  blocks: LessonBlock[];
}

export interface Outline {
  /** The first paragraph; then the missed questions of earlier lessons return. */
  opening: string;
  intro: LessonBlock[];
  steps: Step[];
  /** Exercises, mistakes, the card and the references. */
  end: LessonBlock[];
}

const LAST: readonly LessonBlock["kind"][] = ["exercise", "mistake", "claim", "card", "references", "closing"];

export function outlineOf(blocks: readonly LessonBlock[]): Outline {
  const last = blocks.map(({ kind }) => kind).lastIndexOf("figure");
  const found = blocks.findIndex(({ kind }, index) => index > last && LAST.includes(kind));
  const end = found < 0 ? blocks.length : found;
  const [opening, intro] = withoutOpening(blocks.slice(0, end));
  const outline: Outline = { opening, intro: [], steps: [], end: blocks.slice(end) };
  for (const block of intro) {
    const step = outline.steps.at(-1);
    if (block.kind === "figure") outline.steps.push({ figure: block, blocks: [] });
    else if (block.kind === "question" && step && !step.question && !step.blocks.length) step.question = block;
    else (step?.blocks ?? outline.intro).push(block);
  }
  return outline;
}

/** The first paragraph of the first block, and the blocks without it. */
function withoutOpening(blocks: LessonBlock[]): [string, LessonBlock[]] {
  const [first, ...others] = blocks;
  const html = first?.kind === "prose" ? (first.html[0] ?? "") : "";
  const at = html.indexOf("</p>") + "</p>".length;
  if (!first || at < "</p>".length) return ["", blocks];
  const rest = html.slice(at).trim();
  return [html.slice(0, at), rest ? [{ ...first, html: [rest] }, ...others] : others];
}

/** The index of the step at the reading line: the last one whose top is above it, or the first one. */
export function stepAt(tops: readonly number[], line: number): number {
  return Math.max(0, tops.map((top) => top <= line).lastIndexOf(true));
}

const WORDS: Readonly<Record<string, number>> = { million: 1e6, billion: 1e9 };

/** A number as a reader types it; null if it is none. Commas separate thousands, or the decimals if there is only one. */
export function parseNumber(typed: string): number | null {
  const [, digits = "", word = ""] = /^(.*?)(million|billion)?$/i.exec(typed.trim()) ?? [];
  let text = digits.replace(/[−–]/, "-").replace(/[\s_]/g, "").replace(/%$/, "");
  if (/^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(text)) text = text.replaceAll(",", "");
  else text = text.replace(/^([-+]?\d*),(\d+)$/, "$1.$2");
  const value = Number(text) * (WORDS[word.toLowerCase()] ?? 1);
  return text !== "" && Number.isFinite(value) ? value : null;
}
