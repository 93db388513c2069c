// What the reader has done in the lessons, which they keep in the browser.

export interface Progress {
  /** The lessons whose questions are all answered. */
  done: Record<string, unknown>;
  /** The questions that were answered, for each lesson. */
  answered: Record<string, unknown[]>;
}

/** Read the progress from the browser's storage; nothing for a text that is not one. */
export function readProgress(stored: string | null): Progress {
  const empty: Progress = { done: {}, answered: {} };
  try {
    const { done, answered } = { ...empty, ...(JSON.parse(stored ?? "{}") as Partial<Progress>) };
    return { done, answered };
  } catch {
    return empty;
  }
}

export function statusOf({ done, answered }: Progress, lesson: number): string {
  if (done[lesson] === true) return "done";
  const count = answered[lesson]?.length ?? 0;
  return count ? `${count} answered` : "";
}
