// Long work on the server, followed: how far it is, its newest frame, how it ended.

import { ask, Refusal, type Parameters } from "../api/client";
import { connection } from "./connection.svelte";
import type { Reply } from "../api/reply";

export interface Order {
  kind: string;
  parameters?: Parameters;
}

/** The data of each event that the server sends about a job. */
interface Events {
  progress: { fraction: number; sentence: string };
  frame: { frame: number };
  done: unknown;
  failed: { error: string };
}

/** The newest piece of work that was asked for. What came before is no longer followed, but goes on. */
export class Job<Meta> {
  /** The share that is done, and a sentence with a number in it. */
  progress = $state<{ fraction: number; sentence: string }>();
  frame = $state.raw<Reply<Meta>>();
  done = $state(false);
  failure = $state<string>();
  #turn = $state(0);
  #started: Promise<number | undefined> = Promise.resolve(undefined);
  #frames = new AbortController();

  /** Start the work, or follow it where the server has it already. `order` is read like `$derived`: null asks nothing. */
  constructor(order: () => Order | null) {
    const asked = $derived(JSON.stringify(order())); // the same order asked again changes nothing
    $effect(() => {
      void this.#turn;
      const wanted = JSON.parse(asked) as Order | null;
      [this.progress, this.frame, this.done, this.failure] = [undefined, undefined, false, undefined];
      if (!wanted) return;
      const stop = new AbortController();
      this.#frames = new AbortController();
      this.#started = this.#start(wanted, stop.signal);
      return () => stop.abort();
    });
  }

  /** End the work; its last frame stays. */
  async cancel(): Promise<void> {
    const job = await this.#started; // which may have been asked for a moment ago
    if (job === undefined) return;
    this.#frames.abort(); // they go with the job
    await fetch(`/api/jobs/${job}`, { method: "DELETE" });
  }

  /** Start again what failed or was ended. */
  again(): void {
    this.#turn++;
  }

  async #start({ kind, parameters }: Order, signal: AbortSignal): Promise<number | undefined> {
    const body = new Blob([JSON.stringify({ kind, ...parameters })], { type: "application/json" });
    try {
      const { meta } = await ask<{ job: number }>("jobs", {}, { signal, body });
      if (signal.aborted) return undefined;
      this.#follow(meta.job, signal);
      return meta.job;
    } catch (error) {
      if (!signal.aborted) this.failure = error instanceof Refusal ? error.message : String(error);
      return undefined;
    }
  }

  #follow(job: number, signal: AbortSignal): void {
    const events = new EventSource(`/api/jobs/${job}/events`);
    signal.addEventListener("abort", () => events.close());
    const on = <Name extends keyof Events>(name: Name, told: (facts: Events[Name]) => void) =>
      events.addEventListener(name, (event) => told(JSON.parse((event as MessageEvent<string>).data) as Events[Name]));
    const over = (sentence?: string) => {
      events.close();
      this.done = sentence === undefined;
      this.failure = sentence;
    };
    on("progress", (facts) => (this.progress = facts));
    on("frame", ({ frame }) => void this.#take(job, frame, signal));
    on("done", () => over());
    on("failed", ({ error }) => over(error));
    events.onerror = () => {
      void connection.probe();
      if (events.readyState === EventSource.CLOSED) over("the server no longer knows this job; start it again");
    };
  }

  /** Fetch a frame, unless a newer one is there by then. */
  async #take(job: number, frame: number, signal: AbortSignal): Promise<void> {
    this.#newest = frame;
    const stop = AbortSignal.any([signal, this.#frames.signal]);
    const reply = await ask<Meta>(`jobs/${job}/frames/${frame}`, {}, { signal: stop }).catch(() => undefined);
    if (reply && this.#newest === frame && !signal.aborted) this.frame = reply;
  }
  #newest = 0;
}
