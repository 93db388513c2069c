// Converts the server's positions to positions of all rows by id.

/** (n, 1) or (n, 2) → (n, 2). */
export function paired(positions: ArrayLike<number>, count: number): Float32Array {
  if (positions.length === 2 * count) return positions as Float32Array;
  return Float32Array.from({ length: 2 * count }, (_, at) => (at % 2 ? 0 : (positions[at / 2] as number)));
}

/** The positions of some rows, as an array of all rows with NaN for the others. */
export function spread(positions: ArrayLike<number>, ids: ArrayLike<number>, count: number): Float32Array {
  const all = new Float32Array(2 * count).fill(NaN);
  for (let at = 0; at < ids.length; at++) {
    all[2 * (ids[at] as number)] = positions[2 * at] as number;
    all[2 * (ids[at] as number) + 1] = positions[2 * at + 1] as number;
  }
  return all;
}

/** Ids by descending count; undefined if they are already in this order. */
export function byCount(counts: ArrayLike<number>): Uint32Array | undefined {
  let at = 1;
  while (at < counts.length && (counts[at] as number) <= (counts[at - 1] as number)) at++;
  if (at >= counts.length) return undefined;
  return Uint32Array.from({ length: counts.length }, (_, id) => id).sort(
    (a, b) => (counts[b] as number) - (counts[a] as number),
  );
}

/** Sort ids by their place in `order`, if there is one. */
export function ranked(ids: Uint32Array, order: Uint32Array | undefined): Uint32Array {
  if (!order) return ids;
  const held = new Set(ids);
  return order.filter((id) => held.has(id));
}
