// The state of the Training page.

import { addressState, choice, number, text } from "../../state/address.svelte";
import { DIFFERENCE_NAMES, type DifferenceName } from "./differences";

export const RUNS = ["", "own", "base", "untied"] as const;
export const SPEEDS = [0.5, 1, 2, 4];

export const trainingState = () =>
  addressState({
    run: choice(RUNS),
    token: number(-1, -1, 1e9),
    differ: choice<DifferenceName | "">(["", ...DIFFERENCE_NAMES]),
    variant: text(),
    /** The ids of the tokens whose gradients are compared. */
    compared: text(),
  });

export type TrainingState = ReturnType<typeof trainingState>;
