// The table and the page's state are kept in the URL, so a link restores them. Choices and page changes push an entry to the browser's
// history; dragging a slider or typing in a field makes a single entry (see history-entries.ts). The word and the sentence
// of a page are carried along to the next one (see thread.ts).

import { changed, Entries, type HistoryMode } from "./history-entries";
import { threadUse } from "../pages";
import { familyOf, table } from "./table.svelte";
import { type Part, threadChanges, threadOf, withThread } from "./thread";
import type { UrlCodec } from "./url-codecs";

export * from "./url-codecs";

const WRITE_INTERVAL = 150; // ms; browsers limit how often the URL may change
const STORAGE_KEY = "pages";
const TABLE = "table";

class Address {
  page = $state(pageOf(location.pathname));
  /** The state of the page, without the table. */
  search = $state(changed(location.search, TABLE, []));
  /** Counts history navigations, after which a page rereads what it caches outside the URL. */
  restored = $state(0);
  /** The last state of each page, for each table; and under the name "" the last thread. */
  #saved = $state<Record<string, string>>(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "{}"));
  #entries = new Entries();
  #changes = new Map<string, HistoryMode>();
  #before = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    table.id = tableOf(location.search);
    addEventListener("popstate", () => {
      this.#cancel();
      this.#show(pageOf(location.pathname), changed(location.search, TABLE, []), tableOf(location.search));
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

  /** The word and the sentence of the current page. */
  get thread() {
    return threadOf(this.search);
  }

  /** The last state of another page, with the current thread; "" for the current page, so that its link resets it. */
  searchOf(page: string, thread = this.thread): string {
    if (page === this.page) return "";
    return withThread(this.#saved[saved(page, table.id)] ?? "", thread, threadUse[page]);
  }

  /** Change a part of the thread; other pages follow when they are shown. */
  follow(part: Part, value: string, mode: HistoryMode = "push"): void {
    for (const [name, values] of threadChanges(this.search, part, value, threadUse[this.page]))
      this.change(name, values, mode);
  }

  /** Whether the current page shows a part of the thread. */
  shows(part: Part): boolean {
    return threadUse[this.page]?.[part] !== undefined;
  }

  /** The URL of a page of the current table. */
  urlOf(page: string, search = this.searchOf(page)): string {
    return `/${page}${full(search)}`;
  }

  /** Show another table, with its last state of the page; or with the given one, as after an edit of the table. */
  choose(id: string, mode: "push" | "replace" = "push", search?: string): void {
    if (id === table.id) return;
    if (this.#changes.size) this.#settle();
    this.#write(this.search);
    search ??= withThread(
      this.#saved[saved(this.page, id)] ?? "",
      threadOf(this.#saved[saved("", id)] ?? ""),
      threadUse[this.page],
    );
    this.#show(this.page, search, id);
    const url = this.urlOf(this.page, search);
    if (mode === "push") history.pushState(null, "", url);
    else history.replaceState(null, "", url);
  }

  /** Navigate to a page. */
  go(page: string, search = this.searchOf(page)): void {
    if (this.#changes.size) this.#settle();
    this.#write(this.search);
    if (page !== this.page || search !== this.search) history.pushState(null, "", this.urlOf(page, search));
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
    history.pushState(null, "", location.pathname + full(this.search));
  }

  #show(page: string, search: string, id = table.id): void {
    this.#save();
    table.id = id;
    this.page = page;
    this.search = search;
    this.restored++;
    this.#entries.forget();
  }

  #save(): void {
    this.#saved[saved(this.page, table.id)] = this.search;
    this.#saved[saved("", table.id)] = withThread("", this.thread);
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(this.#saved));
  }

  /** Write pending changes to the URL now. */
  #write(search: string): void {
    if (this.#timer === undefined) return;
    this.#cancel();
    history.replaceState(null, "", location.pathname + full(search));
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** A query string with the current table first. */
function full(search: string): string {
  if (!table.id) return search;
  return `?${new URLSearchParams({ [TABLE]: table.id })}${search.replace("?", "&")}`;
}

function tableOf(search: string): string {
  const id = new URLSearchParams(search).get(TABLE) ?? "";
  return id === "opened" ? "" : id;
}

/** The key of a page's last state. */
function saved(page: string, id: string): string {
  return id ? `${familyOf(id)}/${page}` : page;
}

function pageOf(path: string): string {
  return path.split("/")[1] || "start";
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
