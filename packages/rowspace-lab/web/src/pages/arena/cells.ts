// What the cells of the Arena page show: numbers, bars and marks.

import type { ArenaEntry, ArenaTask, SavedArena } from "../../api/types.generated";
import { decimal } from "../../format";

/** A saved arena in a list. */
export function nameOf({ name, seconds, seeds, scale, problem }: SavedArena): string {
  const title = name || "run of this page";
  if (problem) return `${title} (cannot be opened)`;
  return `${title}: ${seconds} s, ${seeds} ${seeds === 1 ? "seed" : "seeds"}, scale ${scale}`;
}

/** The first sentence of a verdict, and the others. */
export function splitVerdict(verdict: string): [first: string, others: string] {
  const end = verdict.indexOf(". ") + 1 || verdict.length;
  return [verdict.slice(0, end), verdict.slice(end).trim()];
}

/** A number of a task with its spread: bits per byte, or percent. */
export function written(value: number | null, spread: number | null, lower: boolean): string {
  const [factor, digits, unit] = lower ? [1, 3, ""] : [100, 1, " %"];
  const around = spread === null ? "" : ` ± ${decimal(factor * spread, digits)}`;
  return `${decimal(value === null ? null : factor * value, digits)}${around}${unit}`;
}

/** Where a bar begins and ends, from worse (0) to better (1), with its whiskers. */
export interface Bar {
  start: number;
  end: number;
  low: number;
  high: number;
}

/** The bars of a task, from the baseline to each quality, on a scale that all of them share; better is right. */
export function barsOf(task: ArenaTask, entries: readonly ArenaEntry[]): (Bar | null)[] {
  const sign = task.lower ? -1 : 1;
  const gains = entries.map(({ quality }) => (quality === null ? null : sign * (quality - task.baseline)));
  const ends = gains.flatMap((gain, at) => {
    const spread = entries[at]?.spread ?? 0;
    return gain === null ? [] : [gain - spread, gain + spread];
  });
  const [worst, best] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const room = 0.04 * (best - worst || 1);
  const place = (gain: number) => (gain - worst + room) / (best - worst + 2 * room || 1);
  return gains.map((gain, at) => {
    if (gain === null) return null;
    const spread = entries[at]?.spread ?? 0;
    return { start: place(0), end: place(gain), low: place(gain - spread), high: place(gain + spread) };
  });
}

/** What is said about a cell besides its numbers; empty for one that has learned. */
export function markOf(entry: ArenaEntry, seeds: number, running: boolean): string {
  if (entry.status === "not learned in this budget") return "not learned";
  if (entry.status !== "not finished") return entry.status === "learned" ? "" : entry.status;
  const isWaiting = entry.failed.every((reason) => reason === "not run");
  if (entry.seeds) return `${entry.seeds} of ${seeds} runs`;
  return isWaiting ? (running ? "waiting" : "not run") : "failed";
}
