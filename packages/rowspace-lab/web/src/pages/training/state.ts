// The state of the Training page.

import { addressState, choice, number, text } from "../../state/address.svelte";
import { DIFFERENCE_NAMES, type DifferenceName } from "./pair/differences";

export const RUNS = ["", "own", "base", "untied"] as const;
/** What runs read: sentences, those of Small world or of the chosen table, or Python's help. */
export const TEXTS = ["sentences", "python"] as const;
export const TABS = ["loss", "rows", "gradients", "pair"] as const;
export type Tab = (typeof TABS)[number];
export const TAB_NAMES: Record<Tab, string> = {
  loss: "Table and loss",
  rows: "What moves rows",
  gradients: "Gradients",
  pair: "Two runs",
};
export const SPEEDS = [0.5, 1, 2, 4];

export const trainingState = () =>
  addressState({
    corpus: choice(TEXTS),
    run: choice(RUNS),
    /** Below the map; "" is the comparison of two runs where one was chosen, else the loss. */
    tab: choice<Tab | "">(["", ...TABS]),
    token: number(-1, -1, 1e9),
    differ: choice<DifferenceName | "">(["", ...DIFFERENCE_NAMES]),
    variant: text(),
    /** The ids of the tokens whose gradients are compared. */
    compared: text(),
  });

export type TrainingState = ReturnType<typeof trainingState>;

/** The name of a run on the page's corpus, for requests. */
export const runOn = ({ corpus }: TrainingState, run: string): string =>
  corpus === "python" ? run : `${corpus}-${run}`;

/** The selected tab below the map. */
export const tabOf = ({ tab, differ }: TrainingState): Tab => tab || (differ ? "pair" : "loss");
