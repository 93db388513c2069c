// Decides which changes of the URL push an entry to the browser's history.

/** push: an entry per change; merge: an entry per drag or burst of typing; replace: no new entry. */
export type HistoryMode = "push" | "merge" | "replace";

const PAUSE = 800; // ms without a change, after which a burst ends

/** Decides whether a change pushes an entry or updates the newest one. */
export class Entries {
  #presses = 0;
  #held = false;
  #newest: { names: Set<string>; time: number; press: number } | null = null;

  /** Call on pointerdown: a new gesture begins. */
  press(): void {
    this.#presses++;
    this.#held = true;
  }

  release(): void {
    this.#held = false;
  }

  /** Call after a history navigation: the next change pushes an entry. */
  forget(): void {
    this.#newest = null;
  }

  /** Return whether these simultaneous changes push an entry. */
  pushes(changes: ReadonlyMap<string, HistoryMode>, now: number): boolean {
    const names = [...changes].filter(([, mode]) => mode !== "replace").map(([name]) => name);
    if (!names.length) return false;
    const newest = this.#newest;
    const merged = names.every((name) => changes.get(name) === "merge" && newest?.names.has(name));
    const together = newest?.press === this.#presses && (this.#held || now - newest.time < PAUSE);
    if (newest && merged && together) {
      newest.time = now;
      return false;
    }
    this.#newest = { names: new Set(names), time: now, press: this.#presses };
    return true;
  }
}

/** A query string with the values of one parameter replaced in place. */
export function changed(search: string, name: string, [first, ...others]: string[]): string {
  const parameters = new URLSearchParams(search);
  if (first === undefined) parameters.delete(name);
  else parameters.set(name, first);
  for (const value of others) parameters.append(name, value);
  return parameters.size ? `?${parameters}` : "";
}
