// A job on the server: its progress, its newest frame, its result.

import { request, ApiError, type Parameters } from "../api/client";
import { site } from "../api/exported/site";
import { connection } from "../api/connection.svelte";
import type { Reply } from "../api/reply";
import { table } from "../api/table.svelte";
import { transport } from "../api/transport";

export interface JobRequest {
  kind: string;
  parameters?: Parameters;
}

/** The data of each event of a job. */
interface Events {
  progress: { fraction: number; sentence: string };
  frame: { frame: number };
  done: unknown;
  failed: { error: string };
}

/** Let the server prepare a process for the next job of a kind, which then begins at once. */
export async function prepareJob(kind: string): Promise<void> {
  if (site) return;
  const body = new Blob([JSON.stringify({ kind })], { type: "application/json" });
  await request("jobs/spare", {}, { body }).catch(() => undefined); // the job can do without
}

/** The newest job requested. Earlier ones are no longer followed, but keep running on the server. */
export class Job<Meta> {
  /** The fraction done, and a sentence to show. */
  progress = $state<{ fraction: number; sentence: string }>();
  frame = $state.raw<Reply<Meta>>();
  done = $state(false);
  failure = $state<string>();
  #attempt = $state(0);
  #started: Promise<number | undefined> = Promise.resolve(undefined);
  #frames = new AbortController();

  /** Start the job, or follow it if the server already runs it. `source` is tracked like `$derived`; null starts nothing. */
  constructor(source: () => JobRequest | null) {
    const body = $derived(JSON.stringify(source())); // an equal request changes nothing
    const id = $derived(table.id);
    $effect(() => {
      void this.#attempt;
      void id;
      const wanted = JSON.parse(body) as JobRequest | null;
      [this.progress, this.frame, this.done, this.failure] = [undefined, undefined, false, undefined];
      if (!wanted) return;
      const stop = new AbortController();
      this.#frames = new AbortController();
      this.#started = this.#start(wanted, stop.signal);
      return () => stop.abort();
    });
  }

  /** Cancel the job; its last frame remains. */
  async cancel(): Promise<void> {
    const job = await this.#started; // the request may still be in flight
    if (job === undefined) return;
    this.#frames.abort(); // the server deletes them with the job
    await transport.fetch(`/api/jobs/${job}`, { method: "DELETE" });
  }

  /** Start a failed or canceled job again. */
  restart(): void {
    this.#attempt++;
  }

  /** Start the job and return its id when its events arrive, so that it is not canceled, and forgotten, before. */
  async #start({ kind, parameters }: JobRequest, signal: AbortSignal): Promise<number | undefined> {
    const body = new Blob([JSON.stringify({ kind, ...parameters })], { type: "application/json" });
    try {
      if (site) {
        this.frame = await request<Meta>(`jobs/${kind}`, parameters, { signal }); // the last one, if it was recorded
        this.done = true;
        return undefined;
      }
      const { meta } = await request<{ job: number }>("jobs", {}, { signal, body });
      if (signal.aborted) return undefined;
      await this.#follow(meta.job, signal);
      return meta.job;
    } catch (error) {
      if (!signal.aborted) this.failure = error instanceof ApiError ? error.message : String(error);
      return undefined;
    }
  }

  /** Follow the job's events; resolves when the server sends them, or does not know the job. */
  #follow(job: number, signal: AbortSignal): Promise<void> {
    const events = transport.events(`/api/jobs/${job}/events`);
    signal.addEventListener("abort", () => events.close());
    const on = <Name extends keyof Events>(name: Name, handle: (data: Events[Name]) => void) =>
      events.addEventListener(name, (event) =>
        handle(JSON.parse((event as MessageEvent<string>).data) as Events[Name]),
      );
    const end = (error?: string) => {
      events.close();
      this.done = error === undefined;
      this.failure = error;
    };
    on("progress", (data) => (this.progress = data));
    on("frame", ({ frame }) => void this.#load(job, frame, signal));
    on("done", () => end());
    on("failed", ({ error }) => end(error));
    events.onerror = () => {
      void connection.probe();
      if (events.readyState === EventSource.CLOSED) end("the server no longer knows this job; start it again");
    };
    return new Promise((resolve) => {
      for (const name of ["open", "error"]) events.addEventListener(name, () => resolve());
      signal.addEventListener("abort", () => resolve());
    });
  }

  /** Load a frame, unless a newer one is announced in the meantime. */
  async #load(job: number, frame: number, signal: AbortSignal): Promise<void> {
    this.#newest = frame;
    const either = AbortSignal.any([signal, this.#frames.signal]);
    const reply = await request<Meta>(`jobs/${job}/frames/${frame}`, {}, { signal: either }).catch(() => undefined);
    if (reply && this.#newest === frame && !signal.aborted) this.frame = reply;
  }
  #newest = 0;
}
