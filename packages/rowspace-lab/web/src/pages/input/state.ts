// The state of the page, and helpers for its vectors.

import { array, type Reply } from "../../api/reply";
import type { PartsReply } from "../../api/types.generated";
import { addressState, choice, flag, number, picked, text } from "../../state/address.svelte";

export const VIEWS = ["parts", "concatenation", "scale", "initial"] as const;
export const PARTS = ["tokens", "positions", "segments"] as const;
export const MAX_POSITION = 1984; // as on the server
export const MAX_SEED = 9999;

export const inputState = () =>
  addressState({
    text: text(),
    view: choice(VIEWS),
    at: picked(number(0, 0, 63)),
    recipe: text(),
    start: number(0, 0, MAX_POSITION),
    second: number(-1, -1, 64),
    tokens: flag(true),
    segments: flag(true),
    positions: flag(true),
    /** LayerNorm, if the recipe has it. */
    norm: flag(true),
    /** The dropout of training, and its seed. */
    dropout: flag(false),
    seed: number(0, 0, MAX_SEED),
    shared: flag(true),
    position: choice(["", "sinusoid", "learned"] as const),
    width: number(16, 1, 8192),
    rows: choice(["table", "drawn", "example"]),
    dim: number(512, 1, 8192),
    scale: number(1, 0, 200),
    std: number(1, 0, 10),
  });

export type InputState = ReturnType<typeof inputState>;

export type Part = PartsReply["parts"][number];

/** The vector of one token: the contribution of a part, or a row of another array of the reply. */
export function lineOf(reply: Reply<PartsReply>, name: string, at: number): number[] {
  const { parts, tokens } = reply.meta;
  const part = parts.indexOf(name as Part);
  if (part < 0) return line(array(reply, name), tokens.length, at);
  return line(array(reply, "contributions"), parts.length * tokens.length, part * tokens.length + at);
}

/** A row of a flat matrix with `lines` rows. */
export function line(values: ArrayLike<number>, lines: number, at: number): number[] {
  const width = lines ? values.length / lines : 0;
  return Array.from({ length: width }, (_, index) => values[at * width + index] as number);
}

export function norm(values: ArrayLike<number>): number {
  return Math.sqrt(Array.from(values).reduce((sum, value) => sum + value * value, 0));
}

/** Scales from 0.01 to 100, 20 for each factor of ten. */
export const SCALES = Array.from({ length: 81 }, (_, at) => Number((10 ** (at / 20 - 2)).toPrecision(3)));

/** Standard deviations from 0.001 to 1, 20 for each factor of ten. */
export const SPREADS = Array.from({ length: 61 }, (_, at) => Number((10 ** (at / 20 - 3)).toPrecision(3)));
