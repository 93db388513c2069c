// What two runs of the Training page can differ in.

import type { TEXTS } from "../state";

type Text = (typeof TEXTS)[number];

export interface Variant {
  run: string;
  name: string;
}
/** An option with any number in a range, which the names of runs begin with. */
export interface Knob {
  prefix: string;
  label: string;
  min: number;
  max: number;
  /** Of which the number is a multiple. */
  step?: number;
}
export interface Difference {
  label: string;
  /** The name of the first run. */
  base: string;
  variants: Variant[];
  /** Any other number that a second run can have. */
  knob?: Knob;
  /** What is to be seen. */
  see: string;
}

const ON_PYTHON = {
  tying: {
    label: "tying",
    base: "tied",
    variants: [{ run: "untied", name: "untied" }],
    see: "A tied table learns from two sides: where a token is read, and where it is predicted. An untied model has twice the rows, and its input rows get only the first gradient; here, with so few steps, it learns faster.",
  },
  positions: {
    label: "positions",
    base: "rotary",
    variants: [
      { run: "positions-none", name: "none" },
      { run: "positions-learned", name: "learned" },
      { run: "positions-alibi", name: "ALiBi" },
    ],
    see: "In so short a run positions help little, and a model of two layers without them is not blind to order under a causal mask, where each token sees only those before it. Under a full mask, order makes no difference; the table below measures both.",
  },
  scale: {
    label: "scale",
    base: "unscaled",
    variants: [{ run: "scaled", name: "× √d" }],
    see: "Rows multiplied by √d are larger inside the model from the first step on, next to everything that is added to them; here the loss falls faster.",
  },
  width: {
    label: "width d",
    base: "32",
    variants: [
      { run: "dim-4", name: "4" },
      { run: "dim-16", name: "16" },
      { run: "dim-64", name: "64" },
    ],
    knob: { prefix: "dim", label: "or another d", min: 4, max: 128, step: 4 },
    see: "Wider rows can tell more tokens apart: the loss ends lower, and each row costs more.",
  },
  start: {
    label: "initial σ",
    base: "0.02",
    variants: [
      { run: "std-root", name: "1/√d" },
      { run: "std-1", name: "1" },
    ],
    knob: { prefix: "std", label: "or another σ", min: 0.0001, max: 3 },
    see: "With small rows all tokens are about equally likely at first, and the loss starts at ln V. A tied table with σ = 1 starts far above it: its logits are large and wrong.",
  },
  decay: {
    label: "weight decay",
    base: "0.1",
    variants: [
      { run: "decay-0", name: "0" },
      { run: "decay-3", name: "3" },
    ],
    knob: { prefix: "decay", label: "or another weight decay", min: 0, max: 10 },
    see: "Weight decay shrinks every row a little at each step, also those without a gradient. The norms show it, and too much of it keeps the loss high.",
  },
  norms: {
    label: "norms",
    base: "free",
    variants: [
      { run: "norm-max", name: "at most 1" },
      { run: "norm-unit", name: "always 1" },
    ],
    see: "A constraint sets the norms after each step. With norms of 1, rows differ only in their direction; with norms of at most 1, only longer rows are shortened.",
  },
  word: {
    label: "a word of the text",
    base: "function",
    variants: [{ run: "word", name: "class" }],
    see: "Both runs start with the same rows, but in the second text “function” is replaced by “class” everywhere. Small differences spread to all rows; those of the two words and their neighbors end farthest apart.",
  },
} as const satisfies Record<string, Difference>;

export type DifferenceName = keyof typeof ON_PYTHON;
export const DIFFERENCE_NAMES = Object.keys(ON_PYTHON) as [DifferenceName, ...DifferenceName[]];

const ON_SENTENCES: Record<DifferenceName, Difference> = {
  ...ON_PYTHON,
  tying: {
    ...ON_PYTHON.tying,
    see: "A tied table learns from two sides: where a token is read, and where it is predicted. An untied model has twice the rows, and its input rows get only the first gradient. The curves show which one learns faster.",
  },
  scale: {
    ...ON_PYTHON.scale,
    see: "Rows multiplied by √d are larger inside the model from the first step on, next to everything that is added to them. The curves show whether this helps.",
  },
  width: {
    ...ON_PYTHON.width,
    see: "Wider rows can tell more tokens apart, and each row costs more. A model with wide rows soon knows a few hundred sentences by heart: its loss goes on falling, and that on held-out sentences rises again.",
  },
  word: {
    ...ON_PYTHON.word,
    base: "dog",
    variants: [{ run: "word", name: "king" }],
    see: "Both runs start with the same rows, but in the second text “dog” is replaced by “king” everywhere, so a king also sits on the mat and runs in the garden. Small differences spread to all rows; those of the two words and their neighbors end farthest apart.",
  },
};

/** What runs on a text can differ in. */
export const differences = (text: Text): Record<DifferenceName, Difference> =>
  text === "python" ? ON_PYTHON : ON_SENTENCES;

/** The second run: one of the variants, or one with a number of the user; the first variant by default. */
export function variantOf({ variants, knob }: Difference, run: string): Variant | undefined {
  const fixed = variants.find((variant) => variant.run === run);
  const value = knob && run.startsWith(`${knob.prefix}-`) ? run.slice(knob.prefix.length + 1) : "";
  const isNumber = value !== "" && Number.isFinite(Number(value));
  return fixed ?? (isNumber ? { run, name: value } : variants[0]);
}
