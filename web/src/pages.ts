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
];
