// The state of all views of the page.

import type { AttentionReply } from "../../api/types.generated";
import { addressState, choice, flag, number, text } from "../../state/address.svelte";

export const VIEWS = ["shuffle", "ranking", "scores", "sinusoid", "length"] as const;
export const VIEW_NAMES = {
  shuffle: "Shuffle",
  ranking: "q·k or cosine",
  scores: "Scores",
  sinusoid: "Waves",
  length: "Longer texts",
};
export const SCHEMES = ["none", "sinusoid", "learned", "rotary", "alibi"] as const;
export const SCHEME_NAMES: Record<string, string> = {
  none: "none",
  sinusoid: "sinusoid",
  learned: "learned",
  rotary: "rotary",
  alibi: "ALiBi",
};

export const orderState = () =>
  addressState({
    view: choice(VIEWS),
    text: text(),
    order: text(),
    scheme: choice(SCHEMES),
    causal: flag(),
    source: choice(["", "checkpoint", "drawn"]),
    head: number(0, 0, 1024),
    head_dim: number(0, 0, 256),
    seed: number(0, 0, 2 ** 31 - 1),
    word: text(),
    /** The length of queries and keys whose scores are drawn at random. */
    d_k: number(64, 4, 1024),
  });

export type OrderState = ReturnType<typeof orderState>;

/** The parameters that choose a head. */
export const headParameters = ({ source, head, head_dim, seed }: OrderState) => ({
  source: source || undefined,
  head,
  head_dim: head_dim || undefined,
  seed,
});

/** Whether shuffling changes outputs by no more than rounding does. */
export const isSame = ({ difference }: AttentionReply): boolean => difference < 1e-6;

export const waveState = () =>
  addressState({
    view: choice(VIEWS),
    dim: number(8, 2, 512),
    base: number(10_000, 2, 1e9),
    length: number(128, 2, 1024),
    position: number(5, 0, 1024),
    delta: number(3, -1024, 1024),
    dimension: number(2, 0, 511),
  });

export const lengthState = () =>
  addressState({
    view: choice(VIEWS),
    dim: number(64, 2, 512),
    trained: number(512, 4, 4096),
    heads: number(8, 1, 16),
    seed: number(0, 0, 2 ** 31 - 1),
  });

/** Which head a reply was computed with. */
export type HeadFields = Pick<AttentionReply, "source" | "sources" | "model" | "head" | "heads" | "head_dim" | "seed">;
