// What a lesson gives to the components inside it: the page in its figure, and links in its text.

import { getContext, setContext } from "svelte";
import type { Destination } from "./lesson-url";

export interface LessonContext {
  /** Show a page in the figure. */
  show(destination: Destination): void;
}

const KEY = Symbol("lesson");

export function provideLesson(context: LessonContext): void {
  setContext(KEY, context);
}

/** The lesson around a component; undefined on a page of its own. Call this while the component is initialized. */
export function lessonAround(): LessonContext | undefined {
  return getContext<LessonContext | undefined>(KEY);
}
