// The URL of a lesson: `?step=2&page=order`, followed by the state of the page in its figure; and what a lesson gives to the
// components inside it.

import { changed } from "./history-entries";
import { getContext, setContext } from "svelte";
import { within } from "./within";

/** The name of the lessons in the path, as in `/lessons/3`. */
export const LESSONS = "lessons";

/** A step of a lesson, and what its figure shows. */
export interface LessonPlace {
  /** From 1; 0 if the URL has none. */
  step: number;
  /** The page in the figure. */
  figure: string;
  /** The state of that page, as a query string. */
  search: string;
}

/** Read a query string without the table. The page in the figure may have parameters of the same names, which follow. */
export function readPlace(search: string): LessonPlace {
  const parameters = [...new URLSearchParams(search)];
  const take = (name: string): string => {
    const at = parameters.findIndex(([other]) => other === name);
    return at < 0 ? "" : (parameters.splice(at, 1)[0]?.[1] ?? "");
  };
  const [step, figure] = [Number(take("step")), take("page")];
  const rest = new URLSearchParams(parameters);
  return { step: Number.isInteger(step) && step > 0 ? step : 0, figure, search: rest.size ? `?${rest}` : "" };
}

/** The query string of a place, which `readPlace` reads. */
export function writePlace({ step, figure, search }: LessonPlace): string {
  if (!step) return search;
  return `?${new URLSearchParams({ step: String(step), page: figure })}${search.replace("?", "&")}`;
}

/** Whether two query strings have the same parameters, in any order. */
export function sameState(one: string, other: string): boolean {
  const sorted = (search: string): string => {
    const parameters = new URLSearchParams(search);
    parameters.sort();
    return String(parameters);
  };
  return sorted(one) === sorted(other);
}

/** A link into the workbench: its path without the leading slash, its table, and its state. */
export interface Destination {
  path: string;
  /** Undefined if the link names no table. */
  table?: string;
  search: string;
}

export function destinationOf(url: URL): Destination {
  const { pathname, search } = within(url);
  const table = new URLSearchParams(search).get("table") ?? undefined;
  return { path: pathname.replace(/^\/+|\/+$/g, ""), table, search: changed(search, "table", []) };
}

export interface LessonContext {
  /** Show a page in the figure. */
  show(destination: Destination): void;
}

const KEY = Symbol("lesson");

export function provideLesson(context: LessonContext): void {
  setContext(KEY, context);
}

/**
 * The lesson around a component, or the page of the documentation; undefined on a page of its own. Call this while the
 * component is initialized.
 */
export function lessonAround(): LessonContext | undefined {
  return getContext<LessonContext | undefined>(KEY);
}
