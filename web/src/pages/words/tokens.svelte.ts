// The tokens of ids, asked for when they are first wanted, many at a time.

import type { WordTokensReply } from "../../api/types.generated";
import { ask } from "../../lib/client";

export interface Told {
  token: string;
  count: number | null;
  norm: number;
}
type Learned = Pick<WordTokensReply, "tokens" | "counts" | "norms">;

const AT_ONCE = 1000;
const REST = 40; // ms

export class Tokens {
  #told = new Map<number, Told>();
  #ids = new Map<string, number>();
  #wanted = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Rises when something was learned: who reads it looks again. */
  version = $state(0);

  /** What is known of an id; undefined until the server has told, which `version` says. */
  of(id: number): Told | undefined {
    const told = this.#told.get(id);
    if (!told) this.#want(id);
    return told;
  }

  idOf(token: string): number | undefined {
    return this.#ids.get(token);
  }

  /** What came with another answer. */
  learn(ids: ArrayLike<number>, { tokens, counts, norms }: Learned): void {
    tokens.forEach((token, at) => {
      const id = ids[at] as number;
      this.#told.set(id, { token, count: counts?.[at] ?? null, norm: norms[at] as number });
      this.#ids.set(token, id);
    });
    this.version = this.#told.size; // not `++`, which would read it where an effect learns
  }

  /** The token of an id, now or as soon as the server has told; undefined where it does not. */
  async tell(id: number): Promise<string | undefined> {
    if (!this.#told.has(id)) await this.#fetch([id]);
    return this.#told.get(id)?.token;
  }

  #want(id: number): void {
    this.#wanted.add(id);
    if (this.#timer === undefined) this.#timer = setTimeout(() => void this.#ask(), REST);
  }

  async #ask(): Promise<void> {
    const ids = [...this.#wanted].slice(-AT_ONCE); // the newest first: the others may have left the screen
    for (const id of ids) this.#wanted.delete(id);
    await this.#fetch(ids);
    this.#timer = this.#wanted.size ? setTimeout(() => void this.#ask(), REST) : undefined;
  }

  async #fetch(ids: number[]): Promise<void> {
    const reply = await ask<WordTokensReply>("words/tokens", { ids: ids.join(",") }).catch(() => undefined);
    if (reply) this.learn(ids, reply.meta);
  }
}
