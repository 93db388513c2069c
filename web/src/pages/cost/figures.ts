// Marks of models, steps of sliders and short numbers.

/** A published model, or the open table. */
export interface Mark {
  name: string;
  vocabulary: number;
  dimension: number;
  tied: boolean;
  /** Parameters of its input and head, and their share of the whole model where that is known. */
  parameters: number;
  share: number | null;
  paper?: string;
  source?: string;
}

/** `low` to `high` in steps that grow by a quarter of an octave or so, with `others` between them. */
export function logSteps(low: number, high: number, others: Iterable<number>): number[] {
  const steps = new Set(others);
  for (let power = Math.log2(low); power <= Math.log2(high); power += 0.25) {
    const unit = 2 ** Math.max(0, Math.floor(power) - 3);
    steps.add(Math.round(2 ** power / unit) * unit);
  }
  return [...steps].filter((step) => step >= low && step <= high).sort((a, b) => a - b);
}

/** A large number in few characters: 124 M. */
export function short(value: number): string {
  const units = ["", "k", "M", "G", "T", "P"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${Number((value / 1000 ** power).toPrecision(3))}${power ? `\u202f${units[power]}` : ""}`;
}
