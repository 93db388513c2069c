// The run that `rowspace lab RUN` has opened, asked for again while it is trained elsewhere.

import { request } from "../../api/client";
import type { OwnRunReply } from "../../api/types.generated";

const INTERVAL = 1500; // ms

export class OwnRun {
  /** Undefined until the server has answered, null if it has opened a table. */
  run = $state.raw<OwnRunReply["run"]>();

  constructor() {
    $effect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const stop = new AbortController();
      const ask = async (): Promise<void> => {
        const reply = await request<OwnRunReply>("training/own", {}, { signal: stop.signal }).catch(() => undefined);
        if (stop.signal.aborted) return;
        if (reply) this.run = reply.meta.run;
        const over = reply && (!reply.meta.run || reply.meta.run.step >= reply.meta.run.steps);
        if (!over) timer = setTimeout(() => void ask(), INTERVAL);
      };
      void ask();
      return () => {
        stop.abort();
        clearTimeout(timer);
      };
    });
  }
}
