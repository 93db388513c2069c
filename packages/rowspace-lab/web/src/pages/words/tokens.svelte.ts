// The tokens of ids, loaded in batches when first needed, and what the list of words shows of them.

import { request } from "../../api/client";
import type { WordTokensReply } from "../../api/types.generated";

export interface TokenInfo {
  token: string;
  count: number | null;
  norm: number;
}
type TokenList = Pick<WordTokensReply, "tokens" | "counts" | "norms">;

const BATCH_SIZE = 1000;
const DELAY = 40; // ms

export class Tokens {
  #known = new Map<number, TokenInfo>();
  #ids = new Map<string, number>();
  #queued = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Increases when tokens arrive; read it to depend on them. */
  version = $state(0);
  readonly #table: string | undefined;

  /** Of a table, by default the opened one. */
  constructor(table = "") {
    this.#table = table || undefined;
  }

  /** The token of an id, or undefined until it has loaded and `version` increases. */
  of(id: number): TokenInfo | undefined {
    const known = this.#known.get(id);
    if (!known) this.#queue(id);
    return known;
  }

  idOf(token: string): number | undefined {
    return this.#ids.get(token);
  }

  /** Add tokens that came with another reply. */
  add(ids: ArrayLike<number>, { tokens, counts, norms }: TokenList): void {
    tokens.forEach((token, at) => {
      const id = ids[at] as number;
      this.#known.set(id, { token, count: counts?.[at] ?? null, norm: norms[at] as number });
      this.#ids.set(token, id);
    });
    this.version = this.#known.size; // `++` would make a calling effect depend on it
  }

  /** The token of an id, loaded if necessary; undefined if that fails. */
  async load(id: number): Promise<string | undefined> {
    if (!this.#known.has(id)) await this.#load([id]);
    return this.#known.get(id)?.token;
  }

  #queue(id: number): void {
    this.#queued.add(id);
    if (this.#timer === undefined) this.#timer = setTimeout(() => void this.#loadQueued(), DELAY);
  }

  async #loadQueued(): Promise<void> {
    const ids = [...this.#queued].slice(-BATCH_SIZE); // the newest: older ones may have left the screen
    for (const id of ids) this.#queued.delete(id);
    await this.#load(ids);
    this.#timer = this.#queued.size ? setTimeout(() => void this.#loadQueued(), DELAY) : undefined;
  }

  async #load(ids: number[]): Promise<void> {
    const reply = await request<WordTokensReply>("words/tokens", { table: this.#table, ids: ids.join(",") }).catch(
      () => undefined,
    );
    if (reply) this.add(ids, reply.meta);
  }
}

export interface WordList {
  /** The tokens of the table whose ids these are. */
  tokens: Tokens;
  xy: Float32Array;
  /** Whether the order is known; until then nothing is listed. */
  ordered: boolean;
  /** All ids in order; 0, 1, 2 … by default. */
  order?: Uint32Array;
  /** The criterion of the order. */
  first: "count" | "center" | "id";
  /** The ids inside the lasso in this order, and whether the map has a lasso. */
  ids: Uint32Array;
  onmap: boolean;
}
