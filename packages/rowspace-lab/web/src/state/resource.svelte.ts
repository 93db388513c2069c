// Data from the server that follows the page's state: loaded again when its request changes.

import { untrack } from "svelte";
import { ApiError, request, urlOf, type Parameters } from "../api/client";
import type { Reply } from "../api/reply";
import { connection } from "../api/connection.svelte";
import { table } from "../api/table.svelte";

export interface ResourceRequest {
  path: string;
  parameters?: Parameters;
}

const CACHE_SIZE = 60;
const cache = new Map<string, Reply<unknown>>();

/**
 * The newest reply. The previous one remains until the next arrives, which avoids flicker, and is dropped when the
 * server rejects the request, so that an error is never shown with an unrelated figure.
 */
export class Resource<Meta> {
  reply = $state.raw<Reply<Meta>>();
  /** What `reply` was requested with, which may be older than what is wanted now. */
  parameters = $state.raw<Parameters>({});
  /** The newest reply, also after an error: for controls, which remain when the figure is removed. */
  last = $state.raw<Reply<Meta>>();
  failure = $state<string>();
  loading = $state(false);
  /** The current table when the reply was requested; null if the request named its own table. */
  #table = $state<string | null>(null);
  /** Whether the reply is about another table than the current one. */
  outdated = $derived(this.reply !== undefined && this.#table !== null && this.#table !== table.id);
  /** The reply, unless it is outdated. Requests and ids come from this one: another table may lack the words of a reply. */
  current = $derived(this.outdated ? undefined : this.reply);

  /** `source` is tracked like `$derived`; null requests nothing. Call this while a component is initialized. */
  constructor(source: () => ResourceRequest | null) {
    // State read by `source` may change without changing the request.
    const url = $derived.by(() => {
      const wanted = source();
      return wanted && urlOf(wanted.path, wanted.parameters);
    });
    $effect(() => {
      void connection.recovered;
      const wanted = url === null ? null : untrack(source);
      if (!wanted) {
        this.loading = false;
        return;
      }
      const controller = new AbortController();
      // Untracked: a change of the table is a new request only if it changes the URL.
      untrack(() => void this.#load(wanted, controller.signal));
      return () => controller.abort();
    });
  }

  async #load({ path, parameters }: ResourceRequest, signal: AbortSignal): Promise<void> {
    const key = urlOf(path, parameters);
    const id = parameters && "table" in parameters ? null : table.id;
    this.loading = true;
    try {
      const reply = (cache.get(key) as Reply<Meta> | undefined) ?? (await request<Meta>(path, parameters, { signal }));
      if (signal.aborted) return;
      store(key, reply);
      this.#table = id;
      this.parameters = parameters ?? {};
      this.reply = this.last = reply;
      this.failure = undefined;
    } catch (error) {
      if (signal.aborted) return;
      this.failure = error instanceof ApiError ? error.message : String(error);
      if (!(error instanceof ApiError && error.unreachable)) this.reply = undefined;
    }
    this.loading = false;
  }
}

/** Least recently used first. */
function store(key: string, reply: Reply<unknown>): void {
  cache.delete(key);
  cache.set(key, reply);
  const oldest = cache.keys().next().value;
  if (cache.size > CACHE_SIZE && oldest !== undefined) cache.delete(oldest);
}
