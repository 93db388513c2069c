// The page's state is kept in the URL, so a link restores it. Choices and page changes push an entry to the browser's
// history; dragging a slider or typing in a field makes a single entry (see history-entries.ts).

import { changed, Entries, type HistoryMode } from "./history-entries";
import type { UrlCodec } from "./url-codecs";

export * from "./url-codecs";

const WRITE_INTERVAL = 150; // ms; browsers limit how often the URL may change
const STORAGE_KEY = "pages";

class Address {
  page = $state(pageOf(location.pathname));
  search = $state(location.search);
  /** Counts history navigations, after which a page rereads what it caches outside the URL. */
  restored = $state(0);
  /** The last state of each page. */
  #saved = $state<Record<string, string>>(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "{}"));
  #entries = new Entries();
  #changes = new Map<string, HistoryMode>();
  #before = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener("popstate", () => {
      this.#cancel();
      this.#show(pageOf(location.pathname), location.search);
    });
    addEventListener("pagehide", () => {
      this.#write(this.search);
      this.#save();
    });
    const options = { capture: true, passive: true };
    addEventListener("pointerdown", () => this.#entries.press(), options);
    for (const type of ["pointerup", "pointercancel"] as const)
      addEventListener(type, () => this.#entries.release(), options);
  }

  /** The last state of another page; "" for the current page, so that its link resets it. */
  searchOf(page: string): string {
    return page === this.page ? "" : (this.#saved[page] ?? "");
  }

  /** Navigate to a page. */
  go(page: string, search = this.searchOf(page)): void {
    if (this.#changes.size) this.#settle();
    this.#write(this.search);
    if (page !== this.page || search !== this.search) history.pushState(null, "", `/${page}${search}`);
    this.#show(page, search);
    scrollTo(0, 0);
  }

  change(name: string, values: string[], mode: HistoryMode = "push"): void {
    const search = changed(this.search, name, values);
    if (search === this.search) return;
    if (!this.#changes.size) {
      this.#before = this.search;
      queueMicrotask(() => this.#settle()); // simultaneous changes make one entry
    }
    this.#changes.set(name, mode);
    this.search = search;
  }

  #settle(): void {
    if (!this.#changes.size) return;
    const pushes = this.#entries.pushes(this.#changes, performance.now());
    this.#changes.clear();
    if (!pushes) return void (this.#timer ??= setTimeout(() => this.#write(this.search), WRITE_INTERVAL));
    this.#write(this.#before);
    history.pushState(null, "", location.pathname + this.search);
  }

  #show(page: string, search: string): void {
    this.#save();
    this.page = page;
    this.search = search;
    this.restored++;
    this.#entries.forget();
  }

  #save(): void {
    this.#saved[this.page] = this.search;
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(this.#saved));
  }

  /** Write pending changes to the URL now. */
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

type State<Codecs> = { -readonly [Name in keyof Codecs]: Codecs[Name] extends UrlCodec<infer T> ? T : never };

/** An object whose properties are stored in the URL; those with their initial value are omitted. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a UrlCodec<T> is neither a subtype nor a supertype of UrlCodec<unknown>
export function addressState<Codecs extends Record<string, UrlCodec<any>>>(codecs: Codecs): State<Codecs> {
  const state = {} as State<Codecs>;
  for (const [name, codec] of Object.entries(codecs) as [string, UrlCodec<unknown>][]) {
    Object.defineProperty(state, name, {
      enumerable: true,
      get: () => codec.read(new URLSearchParams(address.search).getAll(name)),
      set: (value) => address.change(name, codec.write(value), codec.history),
    });
  }
  return state;
}
