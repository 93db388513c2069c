// How a page's values are written in the URL: at its initial value a property is left out.

import type { HistoryMode } from "./history-entries";

/** How a value is written in the URL, and whether a change of it is an entry in the history. */
export interface Kind<T> {
  read(values: string[]): T;
  write(value: T): string[];
  /** "push" where it is left out. */
  history?: HistoryMode;
}

/** A kind whose every change is an entry in the history, though it is a number or a text. */
export const picked = <T>(kind: Kind<T>): Kind<T> => ({ ...kind, history: "push" });

export const text = (initial = ""): Kind<string> => ({
  history: "merge",
  read: ([value]) => value ?? initial,
  write: (value) => (value === initial ? [] : [value]),
});

/** A text that may be left out, which is not the same as empty. */
export const optional: Kind<string | null> = {
  history: "merge",
  read: ([value]) => value ?? null,
  write: (value) => (value === null ? [] : [value]),
};

export const texts = (initial: readonly string[] = []): Kind<string[]> => ({
  read: (values) => (values.length ? values : [...initial]),
  write: (values) => (values.join("\n") === initial.join("\n") ? [] : values),
});

export const flag = (initial = false): Kind<boolean> => ({
  read: ([value]) => (value === undefined ? initial : value === "true"),
  write: (value) => (value === initial ? [] : [String(value)]),
});

export const number = (initial: number, low: number, high: number): Kind<number> => ({
  history: "merge",
  read: ([value]) => {
    const given = Number(value);
    return value === undefined || Number.isNaN(given) ? initial : Math.min(high, Math.max(low, given));
  },
  write: (value) => (value === initial ? [] : [String(value)]),
});

export const choice = <T extends string>(options: readonly [T, ...T[]], initial: T = options[0]): Kind<T> => ({
  read: ([value]) => options.find((option) => option === value) ?? initial,
  write: (value) => (value === initial ? [] : [value]),
});
