// The component of each page, loaded when it is first shown.

import type { Component } from "svelte";
import type { PageName } from "../state/pages";

type Load = () => Promise<{ default: Component }>;

export const loaders: Partial<Record<string, Load>> = {
  start: () => import("./start/Start.svelte"),
  words: () => import("./words/Words.svelte"),
  analogies: () => import("./analogies/Analogies.svelte"),
  compare: () => import("./compare/Compare.svelte"),
  tokens: () => import("./tokens/Tokens.svelte"),
  pipeline: () => import("./pipeline/Pipeline.svelte"),
  input: () => import("./input/Input.svelte"),
  order: () => import("./order/Order.svelte"),
  positions: () => import("./positions/Positions.svelte"),
  patches: () => import("./patches/Patches.svelte"),
  head: () => import("./head/Head.svelte"),
  cost: () => import("./cost/Cost.svelte"),
  contextual: () => import("./contextual/Contextual.svelte"),
  training: () => import("./training/Training.svelte"),
  adapting: () => import("./adapting/Adapting.svelte"),
  arena: () => import("./arena/Arena.svelte"),
  search: () => import("./search/Search.svelte"),
  claims: () => import("./claims/Claims.svelte"),
} satisfies Record<Exclude<PageName, "lessons">, Load>;
