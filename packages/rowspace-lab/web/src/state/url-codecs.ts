// Codecs that store values in the URL; properties with their initial value are omitted.

import type { HistoryMode } from "./history-entries";

/** Converts a value to URL parameters and back, and determines whether a change makes a history entry. */
export interface UrlCodec<T> {
  read(values: string[]): T;
  write(value: T): string[];
  /** "push" by default. */
  history?: HistoryMode;
}

/** The codec with a history entry per change, as for choices. */
export const picked = <T>(codec: UrlCodec<T>): UrlCodec<T> => ({ ...codec, history: "push" });

export const text = (initial = ""): UrlCodec<string> => ({
  history: "merge",
  read: ([value]) => value ?? initial,
  write: (value) => (value === initial ? [] : [value]),
});

/** A string that may be null, which differs from an empty one. */
export const optional: UrlCodec<string | null> = {
  history: "merge",
  read: ([value]) => value ?? null,
  write: (value) => (value === null ? [] : [value]),
};

export const texts = (initial: readonly string[] = []): UrlCodec<string[]> => ({
  read: (values) => (values.length ? values : [...initial]),
  write: (values) => (values.join("\n") === initial.join("\n") ? [] : values),
});

export const flag = (initial = false): UrlCodec<boolean> => ({
  read: ([value]) => (value === undefined ? initial : value === "true"),
  write: (value) => (value === initial ? [] : [String(value)]),
});

export const number = (initial: number, low: number, high: number): UrlCodec<number> => ({
  history: "merge",
  read: ([value]) => {
    const given = Number(value);
    return value === undefined || Number.isNaN(given) ? initial : Math.min(high, Math.max(low, given));
  },
  write: (value) => (value === initial ? [] : [String(value)]),
});

export const choice = <T extends string>(options: readonly [T, ...T[]], initial: T = options[0]): UrlCodec<T> => ({
  read: ([value]) => options.find((option) => option === value) ?? initial,
  write: (value) => (value === initial ? [] : [value]),
});
