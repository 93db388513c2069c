// The state of the page, and the stations of a text on its way into a network.

import { addressState, text } from "../../state/address.svelte";

export const startState = () => addressState({ text: text() });

export interface Station {
  name: string;
  /** The page about it, with its state. */
  page: string;
  search: string;
}

/** In the order of the figure; `journey.ts` has their places. */
export const STATIONS: readonly Station[] = [
  { name: "Text", page: "order", search: "" },
  { name: "Pieces", page: "tokens", search: "" },
  { name: "Ids", page: "pipeline", search: "?stage=2" },
  { name: "Rows", page: "pipeline", search: "?stage=3" },
  { name: "Rows + positions", page: "input", search: "" },
  { name: "Nearest words", page: "words", search: "" },
];
