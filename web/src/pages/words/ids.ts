// Which rows a lasso holds, as the URL has them.

import type { Kind } from "../../lib/address.svelte";

/** As many as a URL bears. */
export const MOST_IDS = 1000;

/** Rising ids: the steps between them, in base 36. */
export const ids: Kind<number[]> = {
  read: ([text]) => {
    let id = 0;
    const steps = text ? text.split(".").map((step) => parseInt(step, 36)) : [];
    return steps.every((step) => step >= 0) ? steps.slice(0, MOST_IDS).map((step) => (id += step)) : [];
  },
  write: (rising) =>
    rising.length ? [rising.map((id, at) => (id - (rising[at - 1] ?? 0)).toString(36)).join(".")] : [],
};
