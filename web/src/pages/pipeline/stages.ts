// The stages of the way from a text to the matrix X, and back.

/** Its name, and one sentence that says what happens. */
export const STAGES: readonly [name: string, what: string][] = [
  ["Text", "A network reads numbers, so the text has a way to go."],
  ["Tokens", "The table's tokenizer cuts the text into tokens that the table knows; what it does not know has no row."],
  ["Ids", "Each token is replaced by its id, the number of its row: from here on, letters are gone."],
  ["Rows", "Each id is looked up: its row is copied out of the table, and equal tokens get equal rows."],
  [
    "One-hot",
    "The same as a product: each row of H is all zeros but for a one at the token's id, and H times the table E is the rows.",
  ],
  ["Position", "Rows do not say where they stand, so each place adds a row of its own."],
  ["X", "Rows plus positions are X, all that the first layer sees: equal tokens now differ by their places."],
  [
    "Gradient",
    "Backward, each row gets the sum of the gradients that come back to its tokens; all other rows get exactly zero.",
  ],
];
