// The ids of the chosen rows, the same in the map and in Python.

import type { Model } from "./messages.svelte";

const NAME = "selection";

export class Selection {
  ids = $state.raw<readonly number[]>([]);
  #model: Model;

  /** Call this while a component is initialized; `onchange` is called when Python has chosen other rows. */
  constructor(model: Model, onchange: () => void) {
    this.#model = model;
    this.ids = this.#read();
    const changed = () => {
      const ids = this.#read();
      if (ids.length === this.ids.length && ids.every((id, at) => id === this.ids[at])) return;
      this.ids = ids;
      onchange();
    };
    $effect(() => {
      model.on(`change:${NAME}`, changed);
      return () => model.off(`change:${NAME}`, changed);
    });
  }

  /** Choose rows in the map. */
  choose(ids: Iterable<number>): void {
    this.ids = [...new Set(ids)];
    this.#model.set(NAME, new DataView(Uint32Array.from(this.ids).buffer));
    this.#model.save_changes();
  }

  /** Little-endian bytes, as `_to_buffer` in widget.py writes them. */
  #read(): number[] {
    const view = this.#model.get(NAME) as DataView;
    return Array.from({ length: view.byteLength / 4 }, (_, at) => view.getUint32(4 * at, true));
  }
}
