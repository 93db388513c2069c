// The stages from a text to the matrix X and back, and the state of the page.

import { addressState, choice, number, picked, text, texts } from "../../state/address.svelte";

/** The name of each stage, and what happens in it. */
export const STAGES: readonly [name: string, what: string][] = [
  ["Text", "A network reads numbers, so the text has to be converted."],
  [
    "Tokens",
    "The table’s tokenizer splits the text into tokens, and a table without one splits it at spaces; unknown tokens have no row.",
  ],
  ["Ids", "Each token is replaced by its id, the number of its row. The id itself means nothing: renumber and see."],
  ["Rows", "Each id selects its row of the table E, which is copied to X; equal tokens get equal rows."],
  [
    "One-hot",
    "The lookup as a matrix product: each row of H has a one at the token’s id and zeros elsewhere, and H times the table E gives the rows.",
  ],
  [
    "Position",
    "Rows do not contain their order. Most models add a vector for the position, some scale the rows first.",
  ],
  ["X", "X is what the chosen model makes of rows and positions, the input of its first layer."],
  ["Gradient", "In the backward pass, the gradient of a row is the sum of the gradients of its tokens."],
];

export const UPSTREAM = ["ones", "rows"] as const;
export const HEADS = ["none", "untied", "tied"] as const;
export const OPTIMIZERS = ["SGD", "AdamW"] as const;
export const MOST_STEPS = 20;
export const RECIPES = ["", "transformer", "plain", "gpt2", "bert", "llama", "gemma"] as const;
export const RECIPE_NAMES: Record<string, string> = {
  transformer: "Transformer, 2017: × √d",
  plain: "sinusoids, no scale",
  gpt2: "GPT-2",
  bert: "BERT",
  llama: "Llama",
  gemma: "Gemma: × √d",
};

export const pipelineState = () =>
  addressState({
    text: text(),
    stage: picked(number(3, 0, STAGES.length - 1)),
    renumbered: picked(number(0, 0, 2 ** 31 - 1)),
    recipe: choice(RECIPES),
    g: text(),
    upstream: choice(UPSTREAM),
    head: choice(HEADS),
    optimizer: choice(OPTIMIZERS),
    /** The text that each step of the optimizer read, and the numbers g of its tokens, as "1,2". */
    read: texts(),
    read_g: texts(),
  });

export type PipelineState = ReturnType<typeof pipelineState>;
