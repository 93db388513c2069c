// The state of the Adapting page, and the words for its four ways.

import type { AdaptedReply, Way } from "../../api/types.generated";
import { decimal } from "../../format";
import { addressState, choice, number } from "../../state/address.svelte";

export const MAX_SENTENCES = 12; // as on the server
export const MAX_RANK = 8; // as on the server

/** What the page shows of the ways. */
export const SHOWN = ["all", "learned", "moved", "new", "losses"] as const;
export const SHOWN_NAMES = {
  all: "all",
  learned: "numbers that learn",
  moved: "distances",
  new: "loss, new",
  losses: "both losses",
};

export const adaptingState = () =>
  addressState({
    sentences: number(MAX_SENTENCES, 1, MAX_SENTENCES),
    rank: number(2, 1, MAX_RANK),
    measure: choice(SHOWN),
  });

/** The name of each way, and what it lets learn. */
export const WAYS: Record<Way["name"], { name: string; learns: string }> = {
  free: { name: "free", learns: "all rows" },
  frozen: { name: "frozen", learns: "nothing" },
  lora: { name: "LoRA", learns: "a change of low rank" },
  new: { name: "new rows only", learns: "the new row" },
};

export interface Measure {
  shown: readonly (typeof SHOWN)[number][];
  name: string;
  about: string;
  of: (way: Way) => number;
  digits: number;
}

/** What is measured of each way. */
export const measures = ({ sentences, held_out, known, before, new: word }: AdaptedReply): Measure[] => [
  { shown: ["learned"], name: "Numbers that learn", about: "in the table", of: (way) => way.learned, digits: 0 },
  { shown: ["moved"], name: "Old rows move by", about: "the mean distance", of: (way) => way.moved_old, digits: 3 },
  {
    shown: ["moved"],
    name: `The row of “${word}” moves by`,
    about: "its distance",
    of: (way) => way.moved_new,
    digits: 3,
  },
  {
    shown: ["new", "losses"],
    name: "Loss on held-out new sentences",
    about: `${held_out} with “${word}”, not among the ${sentences} that are learned`,
    of: (way) => way.held_out,
    digits: 2,
  },
  {
    shown: ["losses"],
    name: "Loss on old sentences",
    about: `${known} without “${word}”; before, it was ${decimal(before, 2)}`,
    of: (way) => way.old,
    digits: 2,
  },
];
