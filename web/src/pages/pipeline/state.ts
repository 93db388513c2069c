// The stages from a text to the matrix X and back, and the state of the page.

import { addressState, choice, number, picked, text } from "../../state/address.svelte";

/** The name of each stage, and what happens in it. */
export const STAGES: readonly [name: string, what: string][] = [
  ["Text", "A network reads numbers, so the text has to be converted."],
  ["Tokens", "The table’s tokenizer splits the text into tokens; unknown tokens have no row."],
  ["Ids", "Each token is replaced by its id, the number of its row."],
  ["Rows", "Each id selects its row of the table, so equal tokens get equal rows."],
  [
    "One-hot",
    "The lookup as a matrix product: each row of H has a one at the token’s id and zeros elsewhere, and H times the table E gives the rows.",
  ],
  ["Position", "Rows do not contain their order, so a position vector is added to each row."],
  ["X", "X is the sum of rows and positions, the input of the first layer: equal tokens now differ by position."],
  [
    "Gradient",
    "In the backward pass, the gradient of a row is the sum of the gradients of its tokens; all other rows have gradient zero.",
  ],
];

export const UPSTREAM = ["ones", "rows"] as const;

export const pipelineState = () =>
  addressState({
    text: text(),
    stage: picked(number(3, 0, STAGES.length - 1)),
    position: choice(["", "sinusoid", "learned", "none"] as const),
    g: text(),
    upstream: choice(UPSTREAM),
  });
