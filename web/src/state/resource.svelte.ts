// A question that follows the page's state: asked again when what it depends on changes.

import { untrack } from "svelte";
import { addressOf, ask, Refusal, type Parameters } from "../api/client";
import { connection } from "./connection.svelte";
import type { Reply } from "../api/reply";

export interface Question {
  path: string;
  parameters?: Parameters;
}

const KEPT = 60;
const answers = new Map<string, Reply<unknown>>();

/**
 * The newest answer. The one before it stays until then, so that nothing flickers; it goes when the server refuses to
 * answer, so that no figure stands under an error that it does not belong to.
 */
export class Asked<Meta> {
  reply = $state.raw<Reply<Meta>>();
  /** The newest answer, also after a refusal: for controls, which stay while the figure goes. */
  last = $state.raw<Reply<Meta>>();
  failure = $state<string>();
  waiting = $state(false);

  /** `question` is read like `$derived`: null asks nothing. Call this while a component is being made. */
  constructor(question: () => Question | null) {
    // The state that a question reads may change without changing the question.
    const address = $derived.by(() => {
      const asked = question();
      return asked && addressOf(asked.path, asked.parameters);
    });
    $effect(() => {
      void connection.recovered;
      const asked = address === null ? null : untrack(question);
      if (!asked) {
        this.waiting = false;
        return;
      }
      const stop = new AbortController();
      void this.#ask(asked, stop.signal);
      return () => stop.abort();
    });
  }

  async #ask({ path, parameters }: Question, signal: AbortSignal): Promise<void> {
    const key = addressOf(path, parameters);
    this.waiting = true;
    try {
      const reply = (answers.get(key) as Reply<Meta> | undefined) ?? (await ask<Meta>(path, parameters, { signal }));
      if (signal.aborted) return;
      keep(key, reply);
      this.reply = this.last = reply;
      this.failure = undefined;
    } catch (error) {
      if (signal.aborted) return;
      this.failure = error instanceof Refusal ? error.message : String(error);
      if (!(error instanceof Refusal && error.lost)) this.reply = undefined;
    }
    this.waiting = false;
  }
}

function keep(key: string, reply: Reply<unknown>): void {
  answers.delete(key);
  answers.set(key, reply);
  const oldest = answers.keys().next().value;
  if (answers.size > KEPT && oldest !== undefined) answers.delete(oldest);
}
