// The table and the page's state are kept in the URL, so a link restores them. Choices and page changes push an entry to the browser's
// history; dragging a slider or typing in a field makes a single entry (see history-entries.ts). The word and the sentence
// of a page are carried along to the next one (see thread.ts). In a lesson the state is that of the page in its figure, after
// the lesson's step and the name of that page (see lesson.ts). In a notebook and in a page of the documentation the state is only in
// memory, since the URL, the history and the storage are those of the reader's own pages.

import { changed, Entries, type HistoryMode } from "./history-entries";
import { LESSONS, type LessonPlace, readPlace, writePlace } from "./lesson";
import { threadUse } from "./pages";
import { site } from "../api/exported/site";
import { familyOf, table } from "../api/table.svelte";
import { EMBED, hasOwnUrl, inNotebook } from "../host";
import { scrolledTo, ScrollPosition } from "./scroll-position";
import { type Part, threadChanges, threadOf, withThread } from "./thread";
import type { UrlCodec } from "./url-codecs";
import { hrefOf, within } from "./within";

export * from "./url-codecs";

const WRITE_INTERVAL = 150; // ms; browsers limit how often the URL may change
const STORAGE_KEY = "pages";
const CHOSEN_KEY = "chosen-table";
const TABLE = "table";

class Address {
  /** The path without the leading slash: the name of a page, or a lesson such as "lessons/3". */
  path = $state("");
  /** The state of the page, without the table; in a lesson, the state of the page in its figure. */
  search = $state("");
  /** The step of a lesson, from 1; 0 if the URL has none. */
  step = $state(0);
  /** The page in the figure of a lesson. */
  figure = $state("");
  /** Counts history navigations, after which a page rereads what it caches outside the URL. */
  restored = $state(0);
  /** The last state of each page, for each table; and under the name "" the last thread. */
  #saved = $state<Record<string, string>>(JSON.parse(stored(STORAGE_KEY) ?? "{}"));
  #entries = new Entries();
  #changes = new Map<string, HistoryMode>();
  #before = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #scroll: ScrollPosition | undefined;

  constructor() {
    const { path, place, id } = here();
    [this.search, this.step, this.figure, table.id] = [place.search, place.step, place.figure, id];
    table.chosen = place.step ? (stored(CHOSEN_KEY) ?? "") : id;
    this.path = path;
    if (!hasOwnUrl) return;
    this.#scroll = new ScrollPosition(() => this.page === LESSONS);
    addEventListener("popstate", () => {
      this.#cancel();
      const { path, place, id } = here();
      this.#show(path, place, id);
      this.#scroll?.restore();
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

  /** The name of the page, or "lessons". */
  get page(): string {
    return pageOf(this.path);
  }

  /** What follows the name in the path: the number of a lesson. */
  get part(): string {
    return this.path.split("/")[1] ?? "";
  }

  /** The page whose state is in the URL. */
  get view(): string {
    return this.page === LESSONS ? this.figure : this.page;
  }

  /** The word and the sentence of the current page. */
  get thread() {
    return threadOf(this.search);
  }

  /**
   * The last state of another page, with the current thread; "" for the current page, so that its link resets it.
   *
   * The examples of a lesson are not carried along to other pages.
   */
  searchOf(path: string, thread = this.page === LESSONS ? this.#lastThread() : this.thread): string {
    if (path === this.path || pageOf(path) === LESSONS) return "";
    return withThread(this.#saved[saved(path, table.id)] ?? "", thread, threadUse[path]);
  }

  /** Change a part of the thread; other pages follow when they are shown. */
  follow(part: Part, value: string, mode: HistoryMode = "push"): void {
    for (const [name, values] of threadChanges(this.search, part, value, threadUse[this.view]))
      this.change(name, values, mode);
  }

  /** Whether the current page shows a part of the thread. */
  shows(part: Part): boolean {
    return threadUse[this.view]?.[part] !== undefined;
  }

  /** The URL of a page of the current table. */
  urlOf(page: string, search = this.searchOf(page)): string {
    return hrefOf(`/${page}${full(search, site ? tableOn(page) : table.id)}`);
  }

  /** Show another table, with its last state of the page; or with the given one, as after an edit of the table. */
  choose(id: string, mode: "push" | "replace" = "push", search?: string): void {
    if (id === table.id) return;
    if (this.#changes.size) this.#settle();
    this.#write(this.search);
    search ??= this.page === LESSONS ? this.search : this.#lastSearch(id);
    table.chosen = id;
    this.#show(this.path, { step: this.step, figure: this.figure, search }, id);
    this.#record(mode);
  }

  /** Navigate to a page, with the current table, or to a lesson, with the reader's; or with a given one. */
  go(path: string, search = this.searchOf(path), id = tableOn(path)): void {
    if (this.#changes.size) this.#settle();
    this.#write(this.search);
    const before = this.#url();
    this.#scroll?.keep();
    this.#show(path, { step: 0, figure: "", search }, id);
    if (this.#url() !== before) this.#record("push", 0);
    scrollTo(0, 0);
  }

  /** Move to a step of the current lesson, and its figure to a state. */
  move(place: LessonPlace, id: string, mode: "push" | "replace"): void {
    if (this.#changes.size) this.#settle();
    this.#write(this.search);
    this.#show(this.path, place, id);
    this.#record(mode);
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
    if (!hasOwnUrl) return;
    if (!pushes) return void (this.#timer ??= setTimeout(() => this.#write(this.search), WRITE_INTERVAL));
    this.#write(this.#before);
    this.#record("push");
  }

  #show(path: string, place: LessonPlace, id: string): void {
    this.#save();
    table.id = id;
    this.path = path;
    [this.search, this.step, this.figure] = [place.search, place.step, place.figure];
    if (this.page !== LESSONS) table.chosen = id;
    this.restored++;
    this.#entries.forget();
  }

  /** The last state of the page for another table. */
  #lastSearch(id: string): string {
    return withThread(this.#saved[saved(this.page, id)] ?? "", this.#lastThread(id), threadUse[this.page]);
  }

  #lastThread(id = table.id) {
    return threadOf(this.#saved[saved("", id)] ?? "");
  }

  /** The URL of the current page, lesson and table. */
  #url(search = this.search): string {
    return hrefOf(`/${this.path}${full(writePlace({ step: this.step, figure: this.figure, search }))}`);
  }

  #record(mode: "push" | "replace", top = scrollY): void {
    if (!hasOwnUrl) return;
    if (mode === "push") history.pushState(scrolledTo(top), "", this.#url());
    else history.replaceState(history.state, "", this.#url());
  }

  #save(): void {
    if (!hasOwnUrl) return;
    sessionStorage.setItem(CHOSEN_KEY, table.chosen);
    if (this.page === LESSONS) return;
    this.#saved[saved(this.page, table.id)] = this.search;
    this.#saved[saved("", table.id)] = withThread("", this.thread);
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(this.#saved));
  }

  /** Write pending changes to the URL now. */
  #write(search: string): void {
    if (this.#timer === undefined) return;
    this.#cancel();
    history.replaceState(history.state, "", this.#url(search));
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** The table of a page or lesson that is opened now; the lessons of an exported site have its first table only. */
function tableOn(path: string): string {
  return pageOf(path) !== LESSONS ? table.id : site ? "" : table.chosen;
}

/** A query string with the current table first. */
function full(search: string, id = table.id): string {
  if (!id) return search;
  return `?${new URLSearchParams({ [TABLE]: id })}${search.replace("?", "&")}`;
}

function tableOf(search: string): string {
  const id = new URLSearchParams(search).get(TABLE) ?? "";
  return id === "opened" ? "" : id;
}

/** The key of a page's last state. */
function saved(page: string, id: string): string {
  return id ? `${familyOf(id)}/${page}` : page;
}

function pathOf(path: string): string {
  return path.replace(/^\/+|\/+$/g, "") || "start";
}

function pageOf(path: string): string {
  return path.split("/")[0] ?? "";
}

/** What the browser's address bar says. */
function here(): { path: string; place: LessonPlace; id: string } {
  if (inNotebook) return { path: "words", place: { step: 0, figure: "", search: "" }, id: "" };
  const url = within(location);
  const path = pathOf(url.pathname);
  const search = changed(changed(url.search, TABLE, []), EMBED, []);
  const place = pageOf(path) === LESSONS ? readPlace(search) : { step: 0, figure: "", search };
  return { path, place, id: tableOf(url.search) };
}

const stored = (key: string): string | null => (hasOwnUrl ? sessionStorage.getItem(key) : null);

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
