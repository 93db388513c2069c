// The lessons, and the pages in their order. Each page is a line here, a folder in pages/, and a folder on the server.

import type { Component } from "svelte";
import type { ThreadUse } from "./state/thread";

export interface PageEntry {
  /** The name in the URL. */
  name: string;
  title: string;
  /** What the page shows, in one sentence, for the list on the start page. */
  about: string;
  /** The key that opens the page after `g`. */
  key: string;
  load: () => Promise<{ default: Component }>;
}

export const pages: PageEntry[] = [
  {
    name: "start",
    title: "Start",
    about: "A sentence on its way through all stations.",
    key: "g",
    load: () => import("./pages/start/Start.svelte"),
  },
  {
    name: "lessons",
    title: "Lessons",
    about: "Twelve lessons, each with a live figure and questions.",
    key: "l",
    load: () => import("./lessons/Lessons.svelte"),
  },
  {
    name: "words",
    title: "Words",
    about: "All rows of the table on a map, and the nearest rows of any word.",
    key: "w",
    load: () => import("./pages/words/Words.svelte"),
  },
  {
    name: "analogies",
    title: "Analogies",
    about: "Man is to king as woman is to … what? Move the arrows, and see when the answer fails.",
    key: "a",
    load: () => import("./pages/analogies/Analogies.svelte"),
  },
  {
    name: "tokens",
    title: "Tokens",
    about: "How a tokenizer cuts a text into pieces, and how it learned where to cut.",
    key: "t",
    load: () => import("./pages/tokens/Tokens.svelte"),
  },
  {
    name: "pipeline",
    title: "Pipeline",
    about: "A text becomes ids, rows and the matrix X, stage by stage; then gradients flow back.",
    key: "p",
    load: () => import("./pages/pipeline/Pipeline.svelte"),
  },
  {
    name: "input",
    title: "Input",
    about: "What is added up at the input of a network: token, segment and position, and how loud each one is.",
    key: "i",
    load: () => import("./pages/input/Input.svelte"),
  },
  {
    name: "order",
    title: "Order",
    about: "Shuffle the words of a sentence: what does attention notice, with and without positions?",
    key: "d",
    load: () => import("./pages/order/Order.svelte"),
  },
  {
    name: "positions",
    title: "Positions",
    about: "Sinusoids, rotation and other ways to tell a network which token comes first.",
    key: "o",
    load: () => import("./pages/positions/Positions.svelte"),
  },
  {
    name: "patches",
    title: "Patches",
    about: "A picture has no words: cut it into patches, and make a row of each one.",
    key: "s",
    load: () => import("./pages/patches/Patches.svelte"),
  },
  {
    name: "head",
    title: "Head",
    about: "The way back: a vector times every row of the table gives a logit for every token.",
    key: "h",
    load: () => import("./pages/head/Head.svelte"),
  },
  {
    name: "cost",
    title: "Cost",
    about: "How many numbers a table has, what they cost in memory, and what large models spend on them.",
    key: "c",
    load: () => import("./pages/cost/Cost.svelte"),
  },
  {
    name: "contextual",
    title: "Contextual",
    about: "One row per word, many meanings: watch a word’s vector move apart from layer to layer.",
    key: "x",
    load: () => import("./pages/contextual/Contextual.svelte"),
  },
  {
    name: "training",
    title: "Training",
    about: "Train a small language model here, and watch its rows move.",
    key: "r",
    load: () => import("./pages/training/Training.svelte"),
  },
  {
    name: "arena",
    title: "Arena",
    about: "Six ways to make input rows, trained on the same tasks with the same time.",
    key: "e",
    load: () => import("./pages/arena/Arena.svelte"),
  },
  {
    name: "search",
    title: "Search",
    about: "Ask your own files, and see which words made a passage the answer.",
    key: "f",
    load: () => import("./pages/search/SearchPage.svelte"),
  },
  {
    name: "claims",
    title: "Claims",
    about: "Common statements about embeddings, each measured.",
    key: "m",
    load: () => import("./pages/claims/Claims.svelte"),
  },
];

/** The pages that show the shared word or sentence, with the parameters that a change of it resets. */
export const threadUse: Partial<Record<string, ThreadUse>> = {
  start: { text: [] },
  words: { word: [] },
  tokens: { text: [] },
  pipeline: { text: [] },
  input: { text: [] },
  order: { word: [], text: ["order"] },
  head: { word: ["dims", "values", "row"] },
  contextual: { word: [] },
  search: { text: [] },
};
