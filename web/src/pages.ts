// The pages, in the order of the lessons. A page is a line here, a file in pages/, and a file of the server's.

import type { Component } from "svelte";

export interface PageEntry {
  /** Its name in the URL. */
  name: string;
  title: string;
  load: () => Promise<{ default: Component }>;
}

export const pages: PageEntry[] = [
  { name: "words", title: "Words", load: () => import("./pages/Words.svelte") },
  { name: "analogies", title: "Analogies", load: () => import("./pages/Analogies.svelte") },
  { name: "tokens", title: "Tokens", load: () => import("./pages/Tokens.svelte") },
  { name: "pipeline", title: "Pipeline", load: () => import("./pages/Pipeline.svelte") },
  { name: "input", title: "Input", load: () => import("./pages/Input.svelte") },
  { name: "positions", title: "Positions", load: () => import("./pages/Positions.svelte") },
  { name: "patches", title: "Patches", load: () => import("./pages/Patches.svelte") },
  { name: "head", title: "Head", load: () => import("./pages/Head.svelte") },
  { name: "cost", title: "Cost", load: () => import("./pages/Cost.svelte") },
];
