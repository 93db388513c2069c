// The run that the page shows: its job or the opened run, its curves, and all that is shown at the step of the replay.

import { NEEDS_SERVER, site } from "../../api/exported/site";
import { array } from "../../api/reply";
import type {
  BothSidesReply,
  CurvesReply,
  SnapshotsReply,
  TrainedRowReply,
  TrainingFrame,
  UpdatesReply,
  WithoutGradientReply,
} from "../../api/types.generated";
import { Job, prepareJob } from "../../state/job.svelte";
import { Resource } from "../../state/resource.svelte";
import { OwnRun } from "./own-run.svelte";
import { Player } from "./player.svelte";
import { byFrequency, comparedOf, frequentWords, snapshotsOf } from "./snapshot";
import { runOn, type TrainingState } from "./state";

const FOLLOWED = 4; // paths, until a token is chosen

/** A run, and how far it is: the parameters of a request for the newest data. */
export interface Newest {
  run: string;
  at: string | number;
}

/** Null before the run has begun. */
export function newestOf({ frame }: Job<TrainingFrame>, run: string): Newest | null {
  if (!frame || frame.arrays.rows) return null;
  return { run, at: `${frame.meta.step}${frame.meta.finished ? "-finished" : ""}` };
}

export class SingleRun {
  #page: TrainingState;
  readonly own = new OwnRun();
  /** The name of the run; "" until it is known whether the server has opened one. */
  readonly name = $derived.by(
    () => this.#page.run || (this.own.run === undefined ? "" : this.own.run ? "own" : "base"),
  );
  readonly #requested = $derived.by(() => (this.name === "own" ? "own" : runOn(this.#page, this.name)));
  readonly job = new Job<TrainingFrame>(() =>
    this.name && this.name !== "own" ? { kind: "train", parameters: { run: this.#requested } } : null,
  );
  readonly #newest = $derived.by<Newest | null>(() => {
    if (this.name !== "own") return newestOf(this.job, this.#requested);
    return this.own.run ? { run: "own", at: this.own.run.step } : null;
  });

  readonly curves = new Resource<CurvesReply>(
    () => this.#newest && { path: "training/curves", parameters: { ...this.#newest } },
  );
  readonly snapshots = new Resource<SnapshotsReply>(
    () => this.#newest && { path: "training/snapshots", parameters: { ...this.#newest } },
  );
  /** The snapshots that requests take their ids and steps from. */
  readonly #recorded = $derived.by(() => (this.#newest ? snapshotsOf(this.snapshots, this.#requested) : undefined));
  readonly steps = $derived.by(() => (this.snapshots.reply ? array(this.snapshots.reply, "steps") : []));
  readonly player = new Player(() => this.steps.length);
  readonly step = $derived.by(() => this.steps[this.player.index] ?? 0);

  /** The ids of the watched tokens, else of the most frequent ones that begin a word. */
  readonly #first = $derived.by(() => {
    const reply = this.snapshots.reply;
    if (!reply) return [];
    return reply.meta.watched.length ? reply.meta.watched : frequentWords(reply);
  });
  readonly sampled = $derived.by(() => new Set(this.snapshots.reply && array(this.snapshots.reply, "ids")));
  readonly chosen = $derived.by(() => (this.#page.token >= 0 ? this.#page.token : this.#first[0]));
  readonly followed = $derived.by(() => (this.#page.token >= 0 ? [this.#page.token] : this.#first.slice(0, FOLLOWED)));
  /** The ids of the watched tokens whose gradients are compared. */
  readonly compared = $derived.by(() => {
    const reply = this.snapshots.reply;
    return reply ? comparedOf(reply.meta, array(reply, "ids"), this.#page.compared) : [];
  });

  readonly row = new Resource<TrainedRowReply>(() =>
    this.#recorded && this.chosen !== undefined
      ? {
          path: "training/row",
          parameters: { run: this.#requested, id: this.chosen, step: this.#rowStep(this.chosen) },
        }
      : null,
  );
  readonly updates = new Resource<UpdatesReply>(() => this.#atStep("updates"));
  readonly withoutGradient = new Resource<WithoutGradientReply>(() => this.#atStep("without-gradient"));
  readonly sides = new Resource<BothSidesReply>(() =>
    this.#recorded && this.compared.length
      ? { path: "training/both-sides", parameters: { ...this.#newest, ids: this.compared.join(",") } }
      : null,
  );

  /** The rows of the most frequent tokens at the step; before the run has begun, the ones it begins with. */
  readonly table = $derived.by(() => {
    const reply = this.snapshots.reply;
    if (!reply) {
      const preview = this.job.frame?.arrays.rows ? this.job.frame : undefined;
      return preview && { tokens: preview.meta.tokens ?? [], values: array(preview, "rows"), step: 0 };
    }
    const [, rows = 0, dim = 0] = reply.shapes.table ?? [];
    const { tokens, counts } = reply.meta;
    const names = Array.from(byFrequency(counts).subarray(0, rows), (place) => tokens[place] ?? "");
    const start = this.player.index * rows * dim;
    return { tokens: names, values: array(reply, "table").subarray(start, start + rows * dim), step: this.step };
  });
  /** Whether an exported site lacks this run. */
  readonly isMissing = $derived.by(() => this.job.failure === NEEDS_SERVER);
  /** The code of all that is shown; undefined before there is a map. */
  readonly code = $derived.by(() => {
    if (!this.snapshots.reply) return undefined;
    const training = (this.job.frame?.meta.code ?? "").split("\n").map((line) => `# ${line}`.trimEnd());
    const parts = [
      ["# the training of this run, which takes a few seconds\n#", this.name === "own" ? "" : training.join("\n")],
      ["# the curves", this.curves.reply?.meta.code],
      ["# the map", this.snapshots.reply.meta.code],
      ["# the row", this.row.reply?.meta.code],
      ["# the updates", this.updates.reply?.meta.code],
      ["# the gradients of both sides", this.sides.reply?.meta.code],
      ["# rows that move without a gradient", this.withoutGradient.reply?.meta.code],
    ];
    return parts.flatMap(([title, code]) => (code ? [`${title}\n${code}`] : [])).join("\n\n");
  });

  /** Call this while a component is initialized. */
  constructor(page: TrainingState) {
    this.#page = page;
    $effect(() => {
      if (this.name === "own") void prepareJob("train"); // so that a run to compare with begins at once
    });
  }

  /** The step at which the row of a token is shown: an exported site has most rows at the last step only. */
  #rowStep(id: number): number {
    const isRecorded = !site || this.snapshots.reply?.meta.watched.includes(id);
    return isRecorded ? this.step : (this.steps.at(-1) ?? 0);
  }

  /** A request for what is recorded from the first steps on; a run that was started again has its snapshots of before. */
  #atStep(name: string) {
    const hasMoved = this.#newest && parseInt(String(this.#newest.at)) > 0;
    return hasMoved && this.#recorded && this.steps.length > 1
      ? { path: `training/${name}`, parameters: { run: this.#requested, step: this.step } }
      : null;
  }
}
