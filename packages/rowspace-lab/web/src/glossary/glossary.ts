// The terms that explain themselves where they are used: one sentence each, with a small drawing.

/** Parts of a drawing on 96 × 56: the data of an SVG path, and how it is drawn. */
export type Shape = [path: string, style: "line" | "accent" | "area" | "lit"];

export interface Entry {
  /** Other forms of the term, such as its plural. */
  forms?: string[];
  sentence: string;
  figure: Shape[];
}

const bars = (heights: number[]): Shape[] => {
  const step = 84 / heights.length;
  const bar = (height: number, at: number) => `M${6 + at * step} 50v${-height}h${step - 4}v${height}z`;
  return [
    [heights.map(bar).join(""), "area"],
    ["M4 50H92", "line"],
  ];
};

const grid = (columns: number, rows: number, lit: [column: number, row: number][]): Shape[] => {
  const [width, height] = [80 / columns, 48 / rows];
  const lines = [
    ...Array.from({ length: columns + 1 }, (_, at) => `M${8 + at * width} 4v48`),
    ...Array.from({ length: rows + 1 }, (_, at) => `M8 ${4 + at * height}h80`),
  ];
  const cells = lit.map(([column, row]) => `M${8 + column * width} ${4 + row * height}h${width}v${height}h${-width}z`);
  return [
    [cells.join(""), "lit"],
    [lines.join(""), "line"],
  ];
};

const arrow = (x: number, y: number, toX: number, toY: number): string => {
  const angle = Math.atan2(toY - y, toX - x);
  const barb = (turn: number) => `${toX - 7 * Math.cos(angle + turn)} ${toY - 7 * Math.sin(angle + turn)}`;
  return `M${x} ${y}L${toX} ${toY}M${barb(0.5)}L${toX} ${toY}L${barb(-0.5)}`;
};

const row = (at: number, columns = 6): [number, number][] =>
  Array.from({ length: columns }, (_, column) => [column, at]);

export const GLOSSARY: Record<string, Entry> = {
  cosine: {
    sentence:
      "The cosine of the angle between two rows: 1 for the same direction, 0 for a right angle, whatever their lengths.",
    figure: [
      [arrow(10, 48, 84, 38) + arrow(10, 48, 58, 8), "accent"],
      ["M42 44A32 32 0 0 0 34 28", "line"],
    ],
  },
  norm: {
    forms: ["norms"],
    sentence: "The length of a row: the root of the sum of its squared numbers.",
    figure: [
      [arrow(12, 46, 78, 12), "accent"],
      ["M12 46H78V12M70 46v-8h8", "line"],
    ],
  },
  "dot product": {
    forms: ["dot products"],
    sentence:
      "The sum of the products of matching numbers; it grows with both lengths and with the agreement of directions.",
    figure: [
      [arrow(10, 48, 86, 48) + arrow(10, 48, 60, 10), "accent"],
      ["M60 10V48", "line"],
      ["M10 46h50v4H10z", "lit"],
    ],
  },
  logits: {
    forms: ["logit"],
    sentence: "One number for each token before softmax; a larger one means a more likely token.",
    figure: bars([30, 8, 42, 18, 12, 25]),
  },
  softmax: {
    sentence: "Exponentials divided by their sum: turns any numbers into probabilities that add up to 1.",
    figure: bars([12, 3, 44, 5, 4, 9]),
  },
  temperature: {
    sentence: "Divides the logits before softmax: below 1 the largest probability grows, above 1 all become alike.",
    figure: bars([18, 14, 24, 16, 15, 17]),
  },
  softcap: {
    sentence: "Bends logits towards a limit c, as c · tanh(x / c), so that none can grow without bound.",
    figure: [
      ["M8 48C34 46 36 30 48 28S62 10 88 8", "accent"],
      ["M8 52H88M8 4H88", "line"],
    ],
  },
  entropy: {
    sentence: "How undecided a distribution is: 0 for one certain token, largest when all tokens are equally likely.",
    figure: bars([24, 24, 24, 24, 24, 24]),
  },
  perplexity: {
    sentence:
      "The exponential of the mean loss: the number of equally likely tokens that would be as hard to guess among.",
    figure: grid(6, 3, [
      [0, 0],
      [1, 0],
      [2, 0],
    ]),
  },
  "bits per byte": {
    sentence:
      "The mean number of bits that the model needs to write down one byte of text: lower is better, for any tokenizer.",
    figure: [
      ["M8 8C20 38 44 44 88 46", "accent"],
      ["M8 4V52H90", "line"],
    ],
  },
  tied: {
    forms: ["tying", "untied"],
    sentence:
      "A tied head compares with the same rows that the input looks up, so one matrix serves both ends; an untied head has its own.",
    figure: [
      ["M34 10h28v36H34z", "lit"],
      [arrow(6, 18, 32, 18) + arrow(64, 38, 90, 38), "accent"],
      ["M34 10h28v36H34zM34 19h28M34 28h28M34 37h28", "line"],
    ],
  },
  "hidden state": {
    forms: ["hidden states"],
    sentence: "The vector that the network holds at one place of a text, between its layers.",
    figure: [
      ["M8 24h80v10H8z", "lit"],
      ["M8 24h80v10H8zM24 24v10M40 24v10M56 24v10M72 24v10", "line"],
    ],
  },
  "one-hot": {
    forms: ["one-hots"],
    sentence: "A vector with a 1 at the place of the id and 0 everywhere else, as long as the vocabulary.",
    figure: grid(8, 3, [[5, 1]]),
  },
  row: {
    forms: ["rows"],
    sentence: "The vector of one token: a line of the embedding matrix, which has one for each id.",
    figure: grid(6, 5, row(2)),
  },
  vocabulary: {
    sentence: "All tokens that a table knows; the id of a token is its place in this list.",
    figure: grid(1, 5, [[0, 2]]),
  },
  patch: {
    forms: ["patches"],
    sentence: "A square part of a picture, whose pixels are multiplied by a matrix to give one vector.",
    figure: grid(6, 4, [
      [2, 1],
      [3, 1],
      [2, 2],
      [3, 2],
    ]),
  },
  gradient: {
    forms: ["gradients"],
    sentence: "The direction in which the loss grows fastest; a training step moves the row the other way.",
    figure: [
      ["M8 10C30 52 60 54 88 14", "line"],
      [arrow(20, 26, 34, 40), "accent"],
    ],
  },
  rotary: {
    sentence: "Each pair of numbers is turned like a clock hand, by an angle that grows with the position.",
    figure: [
      ["M26 28m-20 0a20 20 0 1 0 40 0a20 20 0 1 0-40 0M70 28m-20 0a20 20 0 1 0 40 0a20 20 0 1 0-40 0", "line"],
      [arrow(26, 28, 40, 16) + arrow(70, 28, 76, 44), "accent"],
    ],
  },
  bias: {
    sentence: "A number added to the score of two positions, here one that falls with their distance.",
    figure: bars([6, 12, 20, 30, 42]),
  },
  segment: {
    forms: ["segments"],
    sentence: "Which of two texts a token belongs to, added as one of two rows.",
    figure: grid(8, 1, [
      [0, 0],
      [1, 0],
      [2, 0],
    ]),
  },
  BM25: {
    sentence:
      "Adds up a number for each word of the question that a passage has: larger for rare words, and for a word that is a large part of a short passage.",
    figure: bars([44, 10, 0, 26]),
  },
  "reciprocal rank fusion": {
    sentence:
      "Joins rankings by adding 1 / (60 + rank) of each, so that scores on different scales need not be compared.",
    figure: [
      [arrow(12, 10, 46, 26) + arrow(84, 10, 50, 26), "accent"],
      ["M4 4h16v12H4zM4 20h16v12H4zM76 4h16v12H76zM76 20h16v12H76zM40 30h16v12H40z", "line"],
    ],
  },
  token: {
    forms: ["tokens"],
    sentence: "A piece of a text, such as a word or a part of one, that has a row of its own in the table.",
    figure: [["M6 18h36v20h-36zM46 18h14v20h-14zM64 18h26v20h-26z", "line"]],
  },
  id: {
    forms: ["ids"],
    sentence: "The place of a token in the vocabulary, and so the number of its row.",
    figure: grid(1, 6, [[0, 3]]),
  },
  position: {
    forms: ["positions"],
    sentence: "The place of a token in its text, counted from zero.",
    figure: grid(8, 1, [[5, 0]]),
  },
  attention: {
    sentence: "Each token takes a mean of the values of the tokens, weighted by how well their keys fit its query.",
    figure: [
      ["M20 8C30 30 60 30 76 46M48 8C50 28 66 34 76 46", "line"],
      ["M76 8V46", "accent"],
    ],
  },
  "causal mask": {
    sentence: "A rule of attention: each token reads itself and earlier tokens only.",
    figure: grid(4, 4, [
      [0, 0],
      [0, 1],
      [1, 1],
      [0, 2],
      [1, 2],
      [2, 2],
      [0, 3],
      [1, 3],
      [2, 3],
      [3, 3],
    ]),
  },
  loss: {
    sentence: "One number for how wrong a model is; training makes it smaller.",
    figure: [
      ["M8 4V50H92", "line"],
      ["M12 10C24 40 44 44 90 46", "accent"],
    ],
  },
  "principal components": {
    forms: ["pca"],
    sentence: "The directions in which the rows spread most; a map by PCA shows the first two.",
    figure: [
      ["M20 44h.1M30 36h.1M38 40h.1M44 28h.1M54 30h.1M60 20h.1M72 18h.1M78 10h.1", "line"],
      [arrow(14, 48, 86, 6), "accent"],
    ],
  },
  "optimizer state": {
    sentence:
      "What the optimizer keeps for each number of the table; for Adam the running means of the gradient and of its square.",
    figure: [...grid(3, 4, []), ["M8 4h27v48H8z", "lit"]],
  },
};
