// Where points start when they fly to their first positions.

const STRIDE = 7919; // a prime, so that neighboring ids start far apart

/** Each point at the position of another one: the picture keeps its outline while the points fly. */
export function shuffled(xy: Float32Array): Float32Array {
  const count = xy.length / 2;
  const start = new Float32Array(xy.length);
  for (let id = 0; id < count; id++) {
    const other = (id * STRIDE + (count >> 1)) % count;
    const finite = Number.isFinite(xy[2 * id]! + xy[2 * id + 1]! + xy[2 * other]! + xy[2 * other + 1]!);
    start[2 * id] = xy[2 * (finite ? other : id)]!;
    start[2 * id + 1] = xy[2 * (finite ? other : id) + 1]!;
  }
  return start;
}
