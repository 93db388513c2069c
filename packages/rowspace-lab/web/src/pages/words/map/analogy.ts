// The lines of an analogy a : b, c : d on a map.

/** The sides a-b-d-c of the figure that the words make; no lines if one of them has no position. */
export function analogyPaths(ids: readonly number[], xy: ArrayLike<number>): Float32Array[] {
  const places = ids.map((id) => [xy[2 * id] ?? NaN, xy[2 * id + 1] ?? NaN]);
  if (ids.length !== 4 || ids.some((id) => id < 0) || !places.flat().every(Number.isFinite)) return [];
  const [a, b, c, d] = places as [number[], number[], number[], number[]];
  return [Float32Array.from([...a, ...b, ...d, ...c, ...a])];
}
