// The page's state is the URL, so that a link is a state. Picks and pages are entries in the browser's history; the drag
// of a slider or the typing in a field is one entry (see history-entries.ts).

import { changed, Entries, type HistoryMode } from "./history-entries";
import type { Kind } from "./url-codecs";

export * from "./url-codecs";

const WRITTEN_EVERY = 150; // ms: browsers refuse to have the URL changed with each pixel of a slider
const STORED_AS = "pages";

class Address {
  page = $state(pageOf(location.pathname));
  search = $state(location.search);
  /** Counts the moves through the history: what a page keeps outside the URL, it reads from there again. */
  restored = $state(0);
  /** The state in which each page was left. */
  #left = $state<Record<string, string>>(JSON.parse(sessionStorage.getItem(STORED_AS) ?? "{}"));
  #entries = new Entries();
  #changes = new Map<string, HistoryMode>();
  #before = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener("popstate", () => {
      this.#cancel();
      this.#turn(pageOf(location.pathname), location.search);
    });
    addEventListener("pagehide", () => {
      this.#write(this.search);
      this.#leave();
    });
    const options = { capture: true, passive: true };
    addEventListener("pointerdown", () => this.#entries.press(), options);
    for (const kind of ["pointerup", "pointercancel"] as const)
      addEventListener(kind, () => this.#entries.release(), options);
  }

  /** The state of a page when it was left; a link to the current page leads to its initial state. */
  searchOf(page: string): string {
    return page === this.page ? "" : (this.#left[page] ?? "");
  }

  /** Go to a page, as a link does. */
  go(page: string, search = this.searchOf(page)): void {
    if (this.#changes.size) this.#settle();
    this.#write(this.search);
    if (page !== this.page || search !== this.search) history.pushState(null, "", `/${page}${search}`);
    this.#turn(page, search);
    scrollTo(0, 0);
  }

  change(name: string, values: string[], mode: HistoryMode = "push"): void {
    const search = changed(this.search, name, values);
    if (search === this.search) return;
    if (!this.#changes.size) {
      this.#before = this.search;
      queueMicrotask(() => this.#settle()); // what changes together is one entry
    }
    this.#changes.set(name, mode);
    this.search = search;
  }

  #settle(): void {
    if (!this.#changes.size) return;
    const opens = this.#entries.opens(this.#changes, performance.now());
    this.#changes.clear();
    if (!opens) return void (this.#timer ??= setTimeout(() => this.#write(this.search), WRITTEN_EVERY));
    this.#write(this.#before);
    history.pushState(null, "", location.pathname + this.search);
  }

  #turn(page: string, search: string): void {
    this.#leave();
    this.page = page;
    this.search = search;
    this.restored++;
    this.#entries.forget();
  }

  #leave(): void {
    this.#left[this.page] = this.search;
    sessionStorage.setItem(STORED_AS, JSON.stringify(this.#left));
  }

  /** Write what a timer would have written. */
  #write(search: string): void {
    if (this.#timer === undefined) return;
    this.#cancel();
    history.replaceState(null, "", location.pathname + search);
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function pageOf(path: string): string {
  return path.split("/")[1] || "words";
}

export const address = new Address();

type State<Kinds> = { -readonly [Name in keyof Kinds]: Kinds[Name] extends Kind<infer T> ? T : never };

/** An object whose properties are read from the URL and written to it; at its initial value a property leaves no trace. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a Kind<T> is neither a subtype nor a supertype of Kind<unknown>
export function addressState<Kinds extends Record<string, Kind<any>>>(kinds: Kinds): State<Kinds> {
  const state = {} as State<Kinds>;
  for (const [name, kind] of Object.entries(kinds) as [string, Kind<unknown>][]) {
    Object.defineProperty(state, name, {
      enumerable: true,
      get: () => kind.read(new URLSearchParams(address.search).getAll(name)),
      set: (value) => address.change(name, kind.write(value), kind.history),
    });
  }
  return state;
}
