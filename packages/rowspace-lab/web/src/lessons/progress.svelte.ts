// What the reader has answered, kept in the browser; nothing of it is sent but the answers that are to be checked.

import { type Asked, afterAnswer, dueIn, dueInList, type Missed } from "./question/missed";

const STORAGE_KEY = "rowspace-lessons";

/** The last answer to a question of a lesson. */
export interface Answered {
  name: string;
  seed: number;
  /** The id of the table that the question was asked about. */
  table: string;
  given: number;
  right: boolean;
}

interface Saved {
  /** The lessons whose questions are all answered. */
  done: Record<number, true>;
  answered: Record<number, Answered[]>;
  missed: Missed[];
}

class Progress {
  #saved = $state<Saved>(load());

  isDone(lesson: number): boolean {
    return this.#saved.done[lesson] === true;
  }

  /** The questions of a lesson that were answered. */
  answered(lesson: number): readonly Answered[] {
    return this.#saved.answered[lesson] ?? [];
  }

  due(lesson: number): Missed[] {
    return dueIn(this.#saved.missed, lesson);
  }

  dueInList(last: number): Missed[] {
    return dueInList(this.#saved.missed, last, this.isDone(last));
  }

  /** Record an answer that was given in lesson `current`. */
  record(asked: Asked, answer: Answered, current: number): void {
    this.#saved.missed = afterAnswer(this.#saved.missed, asked, answer.right, current);
    if (current === asked.lesson) {
      const others = this.answered(current).filter(({ name }) => name !== asked.name);
      this.#saved.answered[current] = [...others, answer];
    }
    this.#save();
  }

  /** Mark a lesson as done if all these questions were answered. */
  finish(lesson: number, names: readonly string[]): void {
    const answered = new Set(this.answered(lesson).map(({ name }) => name));
    if (!names.length || !names.every((name) => answered.has(name))) return;
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
