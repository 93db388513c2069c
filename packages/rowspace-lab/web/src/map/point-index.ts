// Finds the point nearest to a position, and the points inside a polygon.
//
// The index is built from the first query on, one kdbush shard per idle callback, so that a million points do not block
// the page. Points without a shard, and points during a tween, are searched linearly.

import KDBush from "kdbush";
import type { Points } from "./points";

const SHARD = 1 << 15;

export type Position = readonly [x: number, y: number];

export class PointIndex {
  private points: Points;
  private shards: KDBush[] = [];
  private building = false;

  constructor(points: Points) {
    this.points = points;
  }

  /** Discard the index after a change of positions. */
  reset(): void {
    this.shards = [];
  }

  /** The id of the drawn point nearest to (x, y) within radius (the lowest id, if several are), or null. */
  pick(x: number, y: number, radius: number): number | null {
    const { points } = this;
    const still = points.progress >= 1;
    if (still) this.build();
    let [best, least] = [-1, radius * radius];
    const consider = (slot: number) => {
      const distance = (points.xOf(slot) - x) ** 2 + (points.yOf(slot) - y) ** 2;
      if (distance > least || !points.sizes[slot]) return;
      const id = points.order.idOf(slot);
      if (distance < least || best < 0 || id < best) [best, least] = [id, distance];
    };
    const shards = still ? this.shards : [];
    shards.forEach((shard, k) => shard.within(x, y, Math.sqrt(least)).forEach((at) => consider(k * SHARD + at)));
    for (let slot = shards.length * SHARD; slot < points.count; slot++) consider(slot);
    return best < 0 ? null : best;
  }

  /** Ascending ids of the drawn points inside a polygon in data coordinates (even-odd rule). */
  inside(polygon: readonly Position[]): Uint32Array {
    const { points } = this;
    const [left, right] = [Math.min(...polygon.map(([x]) => x)), Math.max(...polygon.map(([x]) => x))];
    const found = new Uint32Array(points.count);
    let size = 0;
    for (let id = 0; id < points.count; id++) {
      const slot = points.order.slotOf(id);
      const x = points.xOf(slot);
      if (x < left || x > right || !points.sizes[slot]) continue;
      if (contains(polygon, x, points.yOf(slot))) found[size++] = id;
    }
    return found.slice(0, size);
  }

  private build(): void {
    if (this.building || this.shards.length * SHARD >= this.points.count) return;
    this.building = true;
    const later = window.requestIdleCallback ?? ((act: () => void) => setTimeout(act, 1)); // Safari has none
    later(() => {
      this.building = false;
      if (this.points.progress < 1) return;
      this.shards.push(this.shard(this.shards.length * SHARD));
      this.build();
    });
  }

  private shard(first: number): KDBush {
    const { count, to } = this.points;
    const size = Math.min(SHARD, count - first);
    const tree = new KDBush(size, 64, Float32Array);
    for (let slot = first; slot < first + size; slot++) tree.add(to[2 * slot]!, to[2 * slot + 1]!);
    return tree.finish();
  }
}

/** Return whether a polygon contains a point (even-odd rule). */
export function contains(polygon: readonly Position[], x: number, y: number): boolean {
  let inside = false;
  let [x1, y1] = polygon.at(-1) ?? [0, 0];
  for (const [x2, y2] of polygon) {
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
    [x1, y1] = [x2, y2];
  }
  return inside;
}
