// A lesson's blocks as an introduction, steps with a figure each, and the end.

import type { LessonBlock } from "../api/types.generated";

export interface Step {
  figure: LessonBlock;
  /** The prose and the questions about the figure. */
  blocks: LessonBlock[];
}

export interface Outline {
  intro: LessonBlock[];
  steps: Step[];
  /** Exercises, mistakes, the card and the references. */
  end: LessonBlock[];
}

const LAST: readonly LessonBlock["kind"][] = ["exercise", "mistake", "claim", "card", "references"];

export function outlineOf(blocks: readonly LessonBlock[]): Outline {
  const last = blocks.map(({ kind }) => kind).lastIndexOf("figure");
  const found = blocks.findIndex(({ kind }, index) => index > last && LAST.includes(kind));
  const end = found < 0 ? blocks.length : found;
  const outline: Outline = { intro: [], steps: [], end: blocks.slice(end) };
  for (const block of blocks.slice(0, end)) {
    if (block.kind === "figure") outline.steps.push({ figure: block, blocks: [] });
    else (outline.steps.at(-1)?.blocks ?? outline.intro).push(block);
  }
  return outline;
}

/** The index of the step at the reading line: the last one whose top is above it, or the first one. */
export function stepAt(tops: readonly number[], line: number): number {
  return Math.max(0, tops.map((top) => top <= line).lastIndexOf(true));
}

/** A number as a reader types it; null if it is none. Commas separate thousands, or the decimals if there is only one. */
export function parseNumber(typed: string): number | null {
  let text = typed.trim().replace(/[−–]/, "-").replace(/[\s_]/g, "").replace(/%$/, "");
  if (/^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(text)) text = text.replaceAll(",", "");
  else text = text.replace(/^([-+]?\d*),(\d+)$/, "$1.$2");
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
}
