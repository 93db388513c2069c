// Where one looks on the map, as the URL has it.

import type { Look } from "../../map/map";
import type { Kind } from "../../state/address.svelte";

/** x, y and scale with commas between; null shows all. */
export const look: Kind<Look | null> = {
  history: "replace",
  read: ([text]) => {
    const [x = NaN, y = NaN, scale = NaN] = (text ?? "").split(",").map(Number);
    return Number.isFinite(x + y) && scale > 0 && scale < Infinity ? { x, y, scale } : null;
  },
  write: (at) => (at ? [[at.x, at.y, at.scale].map((value) => Number(value.toPrecision(5))).join(",")] : []),
};
