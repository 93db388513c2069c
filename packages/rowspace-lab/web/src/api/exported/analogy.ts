// "a is to b as c is to ...": the answers of rowspace.space.cos_add and cos_mul, and the plane through a, b and c.

import { dot, type Found, type Rows } from "./rows";

const EPSILON = 0.001;
/** The share of a length below which what is left of it is rounding. */
const FLAT = 1e-12;

/** All rows, best answer first, by "3cosadd" or "3cosmul". */
export function ranked(rows: Rows, method: string, [a, b, c]: readonly Float64Array[]): Found {
  const all = rows.words.length;
  if (method !== "3cosmul") return rows.nearest(Float32Array.from(target([a!, b!, c!])), all, "cosine");
  const shifted = (to: Float64Array, id: number): number => (1 + dot(to, rows.of(id)) / (rows.norms[id] as number)) / 2;
  const score = (id: number): number => (shifted(b!, id) * shifted(c!, id)) / (shifted(a!, id) + EPSILON);
  return rows.best((id) => rows.norms[id] !== 0, score, all);
}

/** b - a + c */
export function target([a, b, c]: readonly Float64Array[]): Float64Array {
  return b!.map((value, at) => value - (a![at] as number) + (c![at] as number));
}

/** The plane through a, b and c: a is the origin, b lies on the first axis. */
export class Plane {
  readonly #origin: Float64Array;
  readonly #axes: [Float64Array, Float64Array];

  constructor([a, b, c]: readonly Float64Array[]) {
    this.#origin = a!;
    const along = direction(this.#offset(b!), new Float64Array(a!.length));
    this.#axes = [along, direction(this.#offset(c!), along)];
  }

  #offset(point: Float64Array): Float64Array {
    return point.map((value, at) => value - (this.#origin[at] as number));
  }

  /** The projection of a point. */
  coordinates(point: Float64Array): [number, number] {
    const offset = this.#offset(point);
    return [dot(offset, this.#axes[0]), dot(offset, this.#axes[1])];
  }

  /** The share of a point's distance from the origin that lies in the plane. */
  share(point: Float64Array): number {
    const offset = this.#offset(point);
    const length = Math.sqrt(dot(offset, offset));
    return length === 0 ? 1 : Math.min(1, Math.hypot(...this.coordinates(point)) / length);
  }
}

/** The unit vector of the part of an offset orthogonal to an axis; zeros if it is only rounding. */
function direction(offset: Float64Array, axis: Float64Array): Float64Array {
  let left = offset;
  for (let again = 0; again < 2; again++) {
    const part = dot(left, axis); // the second time, the rounding error of the first
    left = left.map((value, at) => value - part * (axis[at] as number));
  }
  const length = Math.sqrt(dot(left, left));
  return length > FLAT * Math.sqrt(dot(offset, offset)) ? left.map((value) => value / length) : left.fill(0);
}
