// The state of the page, and the numbers of a layer.

import { array, type Reply } from "../../api/reply";
import type { LayersReply } from "../../api/types.generated";
import { addressState, number, text, texts } from "../../state/address.svelte";

export const contextualState = () =>
  addressState({
    /** Empty values are the server's defaults. */
    word: text(""),
    texts: texts(),
    /** By default the last one, where the uses differ. */
    layer: number(1000, 0, 1000),
  });

export interface Layers {
  count: number;
  /** How often the word occurs. */
  uses: number;
  /** The positions of the vectors in a layer, and last that of the row. */
  xy: (layer: number) => [x: number, y: number][];
  /** The largest distance from the origin on any of the maps. */
  extent: number;
}

export function layersOf(reply: Reply<LayersReply>): Layers {
  const values = array(reply, "xy");
  const [count = 0, points = 0] = reply.shapes["xy"] ?? [];
  const xy = (layer: number): [number, number][] =>
    Array.from({ length: points }, (_, at) => {
      const start = 2 * (layer * points + at);
      return [values[start] ?? 0, values[start + 1] ?? 0];
    });
  const extent = Math.max(1e-9, ...Array.from(values, Math.abs));
  return { count, uses: points - 1, xy, extent };
}

export const SENSES = ["river", "money"];

/** The color of a sense; gray for a text of the user, whose sense is not known. */
export const colorOf = (sense = ""): string =>
  SENSES.includes(sense) ? `var(--class-${SENSES.indexOf(sense) + 1})` : "var(--quiet)";
