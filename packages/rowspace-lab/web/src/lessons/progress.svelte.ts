// What the reader has answered, kept in the browser; nothing of it is sent.

import { type Asked, afterAnswer, dueIn, dueInList, type Missed } from "./question/missed";

const STORAGE_KEY = "rowspace-lessons";

interface Saved {
  /** The lessons whose questions are all answered. */
  done: Record<number, true>;
  /** The names of the questions that were answered, for each lesson. */
  answered: Record<number, string[]>;
  missed: Missed[];
}

class Progress {
  #saved = $state<Saved>(load());

  isDone(lesson: number): boolean {
    return this.#saved.done[lesson] === true;
  }

  /** The number of questions of a lesson that were answered. */
  answered(lesson: number): number {
    return this.#saved.answered[lesson]?.length ?? 0;
  }

  due(lesson: number): Missed[] {
    return dueIn(this.#saved.missed, lesson);
  }

  dueInList(last: number): Missed[] {
    return dueInList(this.#saved.missed, last, this.isDone(last));
  }

  /** Record an answer that was given in lesson `current`. */
  record(asked: Asked, right: boolean, current: number): void {
    this.#saved.missed = afterAnswer(this.#saved.missed, asked, right, current);
    const names = this.#saved.answered[asked.lesson] ?? [];
    this.#saved.answered[asked.lesson] = [...new Set([...names, asked.name])];
    this.#save();
  }

  /** Mark a lesson as done if all these questions were answered. */
  finish(lesson: number, names: readonly string[]): void {
    const answered = this.#saved.answered[lesson] ?? [];
    if (!names.length || !names.every((name) => answered.includes(name))) return;
    this.#saved.done[lesson] = true;
    this.#save();
  }

  forget(): void {
    this.#saved = empty();
    this.#save();
  }

  #save(): void {
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(this.#saved));
    } catch {
      // The storage is full or not allowed: the progress lasts until the page is closed.
    }
  }
}

function load(): Saved {
  try {
    return { ...empty(), ...(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") as Partial<Saved>) };
  } catch {
    return empty();
  }
}

function empty(): Saved {
  return { done: {}, answered: {}, missed: [] };
}

export const progress = new Progress();
