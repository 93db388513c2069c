// The lessons, and the pages in their order. Each page is a line here, a folder in pages/, and a folder on the server.

import type { Component } from "svelte";
import type { ThreadUse } from "./state/thread";

export interface PageEntry {
  /** The name in the URL. */
  name: string;
  title: string;
  /** The key that opens the page after `g`. */
  key: string;
  load: () => Promise<{ default: Component }>;
}

export const pages: PageEntry[] = [
  { name: "lessons", title: "Lessons", key: "l", load: () => import("./lessons/Lessons.svelte") },
  { name: "words", title: "Words", key: "w", load: () => import("./pages/words/Words.svelte") },
  { name: "analogies", title: "Analogies", key: "a", load: () => import("./pages/analogies/Analogies.svelte") },
  { name: "tokens", title: "Tokens", key: "t", load: () => import("./pages/tokens/Tokens.svelte") },
  { name: "pipeline", title: "Pipeline", key: "p", load: () => import("./pages/pipeline/Pipeline.svelte") },
  { name: "input", title: "Input", key: "i", load: () => import("./pages/input/Input.svelte") },
  { name: "order", title: "Order", key: "d", load: () => import("./pages/order/Order.svelte") },
  { name: "positions", title: "Positions", key: "o", load: () => import("./pages/positions/Positions.svelte") },
  { name: "patches", title: "Patches", key: "s", load: () => import("./pages/patches/Patches.svelte") },
  { name: "head", title: "Head", key: "h", load: () => import("./pages/head/Head.svelte") },
  { name: "cost", title: "Cost", key: "c", load: () => import("./pages/cost/Cost.svelte") },
  { name: "contextual", title: "Contextual", key: "x", load: () => import("./pages/contextual/Contextual.svelte") },
  { name: "training", title: "Training", key: "r", load: () => import("./pages/training/Training.svelte") },
  { name: "arena", title: "Arena", key: "e", load: () => import("./pages/arena/Arena.svelte") },
  { name: "claims", title: "Claims", key: "m", load: () => import("./pages/claims/Claims.svelte") },
];

/** The pages that show the shared word or sentence, with the parameters that a change of it resets. */
export const threadUse: Partial<Record<string, ThreadUse>> = {
  words: { word: [] },
  tokens: { text: [] },
  pipeline: { text: [] },
  input: { text: [] },
  order: { word: [], text: ["order"] },
  head: { word: ["dims", "values", "row"] },
  contextual: { word: [] },
};
