// The tokenizers of the page: the table's, and the default one, which is learned on first use.

import type { SourceReply, TokenizerSizes } from "../../api/types.generated";
import { Job } from "../../state/job.svelte";
import { Resource } from "../../state/resource.svelte";
import { MERGES_OF, SOURCES, type tokenState } from "./state";

type Name = (typeof SOURCES)[number];

export class Sources {
  readonly learning: Job<unknown>;
  #learned = $state(false);
  #page: ReturnType<typeof tokenState>;
  #most: number;
  #found: Record<Name, Resource<SourceReply>>;

  /** Call this while a component is initialized. */
  constructor(page: ReturnType<typeof tokenState>, mostSizes: number) {
    this.#page = page;
    this.#most = mostSizes;
    this.#found = {
      table: new Resource(() => ({ path: "tokens/source", parameters: { tokenizer: "table" } })),
      default: new Resource(() => ({
        path: "tokens/source",
        parameters: { tokenizer: "default", wait: this.#learned || undefined },
      })),
    };
    this.learning = new Job(() => (this.missing && !this.#learned ? { kind: "default-tokenizer" } : null));
    $effect(() => {
      if (this.learning.done) this.#learned = true;
    });
  }

  get resources(): Resource<SourceReply>[] {
    return [this.#found.table, this.#found.default];
  }

  /** Whether the sizes may be those of another table, which requests must not name. */
  get outdated(): boolean {
    return this.resources.some((resource) => resource.outdated);
  }

  /** Whether the default tokenizer is needed and not learned yet. */
  get missing(): boolean {
    const reply = this.#found.default.reply;
    const needed = this.wanted === "default" || this.#page.learn === "default";
    return needed && reply !== undefined && !reply.meta.found;
  }

  /** The tokenizer of the URL, else the table's if it knows parts of words, else the default one; null while it loads. */
  get wanted(): Name | null {
    if (this.#page.tokenizer) return this.#page.tokenizer;
    const { reply, failure } = this.#found.table;
    if (!reply && !failure) return null;
    return reply?.meta.found && reply.meta.found.kind !== "words" ? "table" : "default";
  }

  usable(name: Name): TokenizerSizes | null {
    return this.#found[name].reply?.meta.found ?? null;
  }

  /** The wanted tokenizer, or the other one if it is missing. */
  get name(): Name | null {
    const wanted = this.wanted;
    if (wanted === null || this.usable(wanted)) return wanted;
    if (!this.#found[wanted].reply && !this.#found[wanted].failure) return null;
    return SOURCES.find((each) => this.usable(each)) ?? null;
  }

  get tokenizer(): TokenizerSizes | null {
    return this.name && this.usable(this.name);
  }

  get sizes(): number[] {
    const wanted = this.#page.sizes
      .split(",")
      .map(Number)
      .filter((size) => this.tokenizer?.sizes.includes(size));
    return wanted.length ? wanted.slice(0, this.#most) : (this.tokenizer?.shown ?? []);
  }

  /** Where merges come from: only byte-pair tokenizers have them. The default one is learned when it is chosen. */
  get learnable(): (typeof MERGES_OF)[number][] {
    return MERGES_OF.filter((each) => each !== "table" || this.usable(each)?.kind === "bpe");
  }

  get learn(): (typeof MERGES_OF)[number] {
    const wanted = this.#page.learn;
    return wanted !== "text" && this.usable(wanted)?.kind === "bpe" ? wanted : "text";
  }
}
