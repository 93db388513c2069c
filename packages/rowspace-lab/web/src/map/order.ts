// The order in which points are drawn, chosen so that every prefix is an even sample of all points.
//
// The index of an id in this order is its slot. Slots step through the ids by the golden ratio, so the first n slots are
// spread evenly over the ids, even if these are sorted, as vocabularies are by count. Both directions are computed
// without a table.

export class Order {
  readonly count: number;
  private step: number;
  private back: number;

  constructor(count: number) {
    this.count = count;
    this.step = Math.max(1, Math.round(count * 0.6180339887));
    while (commonDivisor(this.step, count) > 1) this.step++;
    this.back = inverse(this.step, count);
  }

  idOf(slot: number): number {
    return (slot * this.step) % this.count;
  }

  slotOf(id: number): number {
    return (id * this.back) % this.count;
  }

  each(act: (slot: number, id: number) => void): void {
    for (let slot = 0, id = 0; slot < this.count; slot++) {
      act(slot, id);
      id += this.step;
      if (id >= this.count) id -= this.count;
    }
  }
}

function commonDivisor(a: number, b: number): number {
  return b ? commonDivisor(b, a % b) : a;
}

/** The modular inverse of step (extended Euclidean algorithm). */
function inverse(step: number, count: number): number {
  let [a, b, u, v] = [step, count, 1, 0];
  while (b) [a, b, u, v] = [b, a % b, v, u - Math.floor(a / b) * v];
  return ((u % count) + count) % count;
}
