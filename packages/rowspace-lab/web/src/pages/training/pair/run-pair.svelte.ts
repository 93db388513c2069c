// Two runs that differ in one thing: their jobs, curves and maps, and what is measured for some differences only.

import { array, type Reply } from "../../../api/reply";
import type {
  BothSidesReply,
  CurvesReply,
  MaskChangesReply,
  MovedReply,
  SnapshotsReply,
  TrainingFrame,
} from "../../../api/types.generated";
import type { Series } from "../../../charts/Curves.svelte";
import { Job } from "../../../state/job.svelte";
import { Resource } from "../../../state/resource.svelte";
import { differences, variantOf, type Difference } from "./differences";
import { newestOf, type Newest } from "../single-run.svelte";
import { comparedOf, snapshotsOf } from "../snapshot";
import { runOn, type TrainingState } from "../state";

export const BOTH = [0, 1] as const;
const BASE = "base";

/** One of the runs: its number, its name, and its curves. */
export interface Begun {
  at: 0 | 1;
  name: string;
  reply: Reply<CurvesReply>;
}

export class RunPair {
  #page: TrainingState;
  readonly difference = $derived.by<Difference | undefined>(() =>
    this.#page.differ ? differences(this.#page.corpus)[this.#page.differ] : undefined,
  );
  readonly variant = $derived.by(() => this.difference && variantOf(this.difference, this.#page.variant));
  readonly titles = $derived.by(
    () =>
      [
        `${this.difference?.label}: ${this.difference?.base}`,
        `${this.difference?.label}: ${this.variant?.name}`,
      ] as const,
  );
  readonly jobs = BOTH.map(
    (at) =>
      new Job<TrainingFrame>(() => {
        const run = this.#runOf(at);
        return run ? { kind: "train", parameters: { run } } : null;
      }),
  );
  readonly curves = BOTH.map((at) => this.#resource<CurvesReply>(at, "curves"));
  readonly snapshots = BOTH.map((at) => this.#resource<SnapshotsReply>(at, "snapshots"));
  /** How much each run sees of the order, of its last checkpoint; only a finished run has one. */
  readonly orders = BOTH.map(
    (at) =>
      new Resource<MaskChangesReply>(() => {
        const newest = this.#page.differ === "positions" && this.jobs[at]?.done ? this.#newest(at) : null;
        return newest && { path: "training/order", parameters: { run: newest.run } };
      }),
  );
  /** The gradients of the compared tokens in each run. */
  readonly sides = BOTH.map(
    (at) =>
      new Resource<BothSidesReply>(() => {
        const newest = this.#page.differ === "tying" ? this.#newest(at) : null;
        const reply = newest && this.snapshots[at] && snapshotsOf(this.snapshots[at], newest.run);
        const ids = reply && comparedOf(reply.meta, array(reply, "ids"), this.#page.compared);
        return ids?.length ? { path: "training/both-sides", parameters: { ...newest, ids: ids.join(",") } } : null;
      }),
  );
  readonly moved = new Resource<MovedReply>(() => {
    const [first, second] = [this.#newest(0), this.#newest(1)];
    return this.#page.differ === "word" && first && second
      ? { path: "training/moved", parameters: { run: first.run, other: second.run, at: `${first.at},${second.at}` } }
      : null;
  });
  /** The runs that have begun. */
  readonly begun = $derived.by<Begun[]>(() =>
    BOTH.flatMap((at) => {
      const reply = this.difference && this.curves[at]?.reply;
      return reply && this.#newest(at) ? [{ at, reply, name: this.titles[at] }] : [];
    }),
  );
  /** The code of all that is shown. */
  readonly code = $derived.by(() =>
    [
      ...this.begun.flatMap(({ at, name, reply }) => [
        `# ${name}`,
        reply.meta.code,
        this.snapshots[at]?.reply?.meta.code,
        this.#page.differ === "positions" ? this.orders[at]?.reply?.meta.code : "",
        this.#page.differ === "tying" ? this.sides[at]?.reply?.meta.code : "",
      ]),
      ...(this.#page.differ === "word" && this.moved.reply
        ? ["# the rows that differ most", this.moved.reply.meta.code]
        : []),
    ]
      .filter(Boolean)
      .join("\n"),
  );

  /** Call this while a component is initialized. */
  constructor(page: TrainingState) {
    this.#page = page;
  }

  /** A curve of both runs. */
  series(x: string, y: string, suffix = "", shift = 0): Series[] {
    return this.begun.map(({ at, reply, name }) => ({
      name: name + suffix,
      x: array(reply, x),
      y: array(reply, y),
      color: at + 1 + shift,
    }));
  }

  #runOf(at: 0 | 1): string | undefined {
    const run = at === 0 ? this.difference && BASE : this.variant?.run;
    return run && runOn(this.#page, run);
  }

  #newest(at: 0 | 1): Newest | null {
    const [job, run] = [this.jobs[at], this.#runOf(at)];
    return job && run ? newestOf(job, run) : null;
  }

  #resource<Meta>(at: 0 | 1, name: string): Resource<Meta> {
    return new Resource<Meta>(() => {
      const newest = this.#newest(at);
      return newest && { path: `training/${name}`, parameters: { ...newest } };
    });
  }
}
