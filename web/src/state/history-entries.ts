// Which changes of the URL are entries in the browser's history.

/** push: each change is an entry; merge: a drag or a burst of typing is one; replace: none, the newest entry changes. */
export type HistoryMode = "push" | "merge" | "replace";

const SETTLED = 800; // ms without a change

/** Decides whether a change opens an entry or belongs to the newest one. */
export class Entries {
  #presses = 0;
  #held = false;
  #newest: { names: Set<string>; time: number; press: number } | null = null;

  /** A pointer goes down: what it changes is a new gesture. */
  press(): void {
    this.#presses++;
    this.#held = true;
  }

  release(): void {
    this.#held = false;
  }

  /** After a move through the history, the next change opens an entry. */
  forget(): void {
    this.#newest = null;
  }

  /** Whether these changes, made together, open an entry. */
  opens(changes: ReadonlyMap<string, HistoryMode>, now: number): boolean {
    const names = [...changes].filter(([, mode]) => mode !== "replace").map(([name]) => name);
    if (!names.length) return false;
    const newest = this.#newest;
    const merged = names.every((name) => changes.get(name) === "merge" && newest?.names.has(name));
    const together = newest?.press === this.#presses && (this.#held || now - newest.time < SETTLED);
    if (newest && merged && together) {
      newest.time = now;
      return false;
    }
    this.#newest = { names: new Set(names), time: now, press: this.#presses };
    return true;
  }
}

/** A query string with the values of one name replaced, in its old place. */
export function changed(search: string, name: string, [first, ...others]: string[]): string {
  const parameters = new URLSearchParams(search);
  if (first === undefined) parameters.delete(name);
  else parameters.set(name, first);
  for (const value of others) parameters.append(name, value);
  return parameters.size ? `?${parameters}` : "";
}
