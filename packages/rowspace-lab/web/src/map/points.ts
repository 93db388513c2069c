// The points of a map by slot (see order.ts): current and previous positions, colors and sizes.
// A point without a finite position keeps its slot but has size 0 and is not drawn.

import { Order } from "./order";
import type { Box } from "./camera";

/** The default size in `sizes`. */
export const DEFAULT_SIZE = 32;
const FAINT = 0.12;
const NOWHERE: Box = { left: 0, right: 0, bottom: 0, top: 0 };

export class Points {
  order = new Order(0);
  /** The number of points without a finite position. */
  missing = 0;
  /** (count, 2) start and end positions of a tween, and its progress from 0 to 1. */
  from: Float32Array = new Float32Array(0);
  to: Float32Array = new Float32Array(0);
  progress = 1;
  /** (count, 4) red, green, blue and weight. */
  paint = new Uint8Array(0);
  /** (count,) sizes in units of 1 / DEFAULT_SIZE; 0 is not drawn. */
  sizes = new Uint8Array(0);
  box = NOWHERE;

  private colors: Uint8Array | null = null;
  private relative: Float32Array | null = null;
  private emphasized: Uint8Array | null = null;

  get count(): number {
    return this.order.count;
  }

  /** xy: (count, 2) by id. Colors, sizes and emphasis are reset when the number of points changes. */
  set(xy: Float32Array): void {
    if (xy.length % 2) throw new RangeError(`expected pairs of coordinates, got ${xy.length} numbers`);
    const resized = xy.length !== 2 * this.count;
    if (resized) this.resize(xy.length / 2);
    this.place(xy);
    this.from = this.to;
    this.progress = 1;
    if (resized) this.repaint();
  }

  /** Start a tween from the current positions to xy; a point without a position appears at its new one. */
  moveTo(xy: Float32Array): void {
    if (xy.length !== 2 * this.count) throw new RangeError(`expected ${this.count} positions, got ${xy.length / 2}`);
    const start = this.progress < 1 ? this.from.map((_, i) => this.between(i)) : this.to;
    const before = this.sizes.slice();
    this.place(xy);
    before.forEach((size, slot) => {
      if (size === 0) start.set(this.to.subarray(2 * slot, 2 * slot + 2), 2 * slot);
    });
    this.from = start;
    this.progress = 0;
  }

  /** rgba: (count, 4) by id, or (count,) indices into a palette of (k, 4). Alpha is a point's weight. */
  setColors(rgba: Uint8Array, palette?: Uint8Array): void {
    const wanted = palette ? this.count : 4 * this.count;
    if (rgba.length !== wanted) throw new RangeError(`expected ${wanted} bytes of color, got ${rgba.length}`);
    this.colors = palette ? unfold(rgba, palette) : rgba;
    this.repaint();
  }

  /** Sizes by id relative to the default (up to 7.9), or null for equal sizes. */
  setSizes(sizes: Float32Array | null): void {
    if (sizes && sizes.length !== this.count) throw new RangeError(`expected ${this.count} sizes, got ${sizes.length}`);
    this.relative = sizes;
    this.order.each((slot, id) => {
      if (this.sizes[slot]) this.sizes[slot] = this.sizeOf(id);
    });
  }

  /** Make all points faint except these ids; null ends the emphasis. */
  setEmphasis(ids: ArrayLike<number> | null): void {
    this.emphasized = ids && new Uint8Array(this.count);
    for (let i = 0; ids && i < ids.length; i++) this.emphasized![ids[i]!] = 1;
    this.repaint();
  }

  isDrawn(id: number): boolean {
    return id >= 0 && id < this.count && this.sizes[this.order.slotOf(id)]! > 0;
  }

  /** The current position of a point, also during a tween. */
  xOf(slot: number): number {
    return this.between(2 * slot);
  }

  yOf(slot: number): number {
    return this.between(2 * slot + 1);
  }

  /** Where a point is, or moves to; null if it is not drawn. */
  goalOf(id: number): [number, number] | null {
    const at = 2 * this.order.slotOf(id);
    return this.isDrawn(id) ? [this.to[at]!, this.to[at + 1]!] : null;
  }

  /** Whether some point is in a box. */
  someIn({ left, right, bottom, top }: Box): boolean {
    for (let slot = 0; slot < this.count; slot++) {
      const [x, y] = [this.xOf(slot), this.yOf(slot)];
      if (this.sizes[slot] && x >= left && x <= right && y >= bottom && y <= top) return true;
    }
    return false;
  }

  private between(index: number): number {
    const start = this.from[index]!;
    return this.progress < 1 ? start + (this.to[index]! - start) * this.progress : this.to[index]!;
  }

  private resize(count: number): void {
    this.order = new Order(count);
    this.paint = new Uint8Array(4 * count);
    this.sizes = new Uint8Array(count);
    this.colors = this.relative = this.emphasized = null;
  }

  private place(xy: Float32Array): void {
    const to = (this.to = new Float32Array(2 * this.count));
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    this.missing = 0;
    this.order.each((slot, id) => {
      const [x, y] = [xy[2 * id]!, xy[2 * id + 1]!];
      const drawn = Number.isFinite(x) && Number.isFinite(y);
      this.sizes[slot] = drawn ? this.sizeOf(id) : 0;
      if (!drawn) return void this.missing++;
      to[2 * slot] = x;
      to[2 * slot + 1] = y;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < bottom) bottom = y;
      if (y > top) top = y;
    });
    this.box = left <= right ? { left, right, bottom, top } : NOWHERE;
  }

  private sizeOf(id: number): number {
    return this.relative ? Math.min(Math.max(Math.round(this.relative[id]! * DEFAULT_SIZE), 1), 255) : DEFAULT_SIZE;
  }

  private repaint(): void {
    const { paint, colors, emphasized } = this;
    this.order.each((slot, id) => {
      const weight = colors ? colors[4 * id + 3]! : 255;
      for (let channel = 0; channel < 3; channel++) {
        paint[4 * slot + channel] = colors ? colors[4 * id + channel]! : 128;
      }
      paint[4 * slot + 3] = emphasized && !emphasized[id] ? weight * FAINT : weight;
    });
  }
}

function unfold(indices: Uint8Array, palette: Uint8Array): Uint8Array {
  const colors = new Uint32Array(palette.slice().buffer);
  return new Uint8Array(Uint32Array.from(indices, (index) => colors[index] ?? 0).buffer);
}
