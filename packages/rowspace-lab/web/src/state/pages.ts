// The lessons, and the pages in their order. Each page is an entry here, a line of pages/load.ts with its folder in pages/,
// and a folder on the server.

import type { ThreadUse } from "./thread";

interface PageEntry {
  /** The name in the URL. */
  name: string;
  title: string;
  /** What the page shows, in one sentence, for the list on the start page. */
  about: string;
  /** The key that opens the page after `g`. */
  key: string;
  /** The heading above the page in the list of pages, the same for pages that follow each other. */
  group?: string;
}

export const pages = [
  {
    name: "start",
    title: "Start",
    about: "A sentence on its way through all stations.",
    key: "g",
  },
  {
    name: "lessons",
    title: "Lessons",
    about: "Seventeen lessons, each with a live figure and questions.",
    key: "l",
  },
  {
    name: "words",
    title: "Words",
    about: "All rows of the table on a map, and the nearest rows of any word.",
    key: "w",
    group: "The table",
  },
  {
    name: "analogies",
    title: "Analogies",
    about: "Man is to king as woman is to … what? Move the arrows, and see when the answer fails.",
    key: "a",
    group: "The table",
  },
  {
    name: "compare",
    title: "Compare",
    about: "Two tables side by side: which words moved, and which have other neighbors now?",
    key: "b",
    group: "The table",
  },
  {
    name: "tokens",
    title: "Tokens",
    about: "How a tokenizer cuts a text into pieces, and how it learned where to cut.",
    key: "t",
    group: "The table",
  },
  {
    name: "pipeline",
    title: "Pipeline",
    about: "A text becomes ids, rows and the matrix X, stage by stage; then gradients flow back.",
    key: "p",
    group: "Into a network",
  },
  {
    name: "input",
    title: "Input",
    about: "What is added up at the input of a network: token, segment and position, and how loud each one is.",
    key: "i",
    group: "Into a network",
  },
  {
    name: "order",
    title: "Order",
    about: "Shuffle the words of a sentence: what does attention notice, with and without positions?",
    key: "d",
    group: "Into a network",
  },
  {
    name: "positions",
    title: "Positions",
    about: "Sinusoids, rotation and other ways to tell a network which token comes first.",
    key: "o",
    group: "Into a network",
  },
  {
    name: "patches",
    title: "Patches",
    about: "A picture has no words: cut it into patches, and make a row of each one.",
    key: "s",
    group: "Into a network",
  },
  {
    name: "head",
    title: "Head",
    about: "The way back: a vector times every row of the table gives a logit for every token.",
    key: "h",
    group: "Out of it",
  },
  {
    name: "cost",
    title: "Cost",
    about: "How many numbers a table has, what they cost in memory, and what large models spend on them.",
    key: "c",
    group: "Out of it",
  },
  {
    name: "contextual",
    title: "Contextual",
    about: "One row per word, many meanings: watch a word’s vector move apart from layer to layer.",
    key: "x",
    group: "Out of it",
  },
  {
    name: "training",
    title: "Training",
    about: "Train a small language model here, and watch its rows move.",
    key: "r",
    group: "Learned and measured",
  },
  {
    name: "adapting",
    title: "Adapting",
    about: "A trained table meets a new word: let all rows learn, none, a few directions, or only the new row.",
    key: "n",
    group: "Learned and measured",
  },
  {
    name: "arena",
    title: "Arena",
    about: "Six ways to make input rows, trained on the same tasks with the same time.",
    key: "e",
    group: "Learned and measured",
  },
  {
    name: "search",
    title: "Search",
    about: "Ask your own files, and see which words made a passage the answer.",
    key: "f",
    group: "Learned and measured",
  },
  {
    name: "claims",
    title: "Claims",
    about: "Common statements about embeddings, each measured.",
    key: "m",
    group: "Learned and measured",
  },
] as const satisfies PageEntry[];

export type PageName = (typeof pages)[number]["name"];

/** The pages that show the shared word or sentence, with the parameters that a change of it resets. */
export const threadUse: Partial<Record<string, ThreadUse>> = {
  start: { text: [] },
  words: { word: [] },
  tokens: { text: [] },
  pipeline: { text: [] },
  input: { text: [] },
  order: { word: [], text: ["order"] },
  head: { word: ["dims", "values", "row"] },
  compare: { word: [] },
  contextual: { word: [] },
  search: { text: [] },
};
