// The order in which points are drawn, so that every beginning of it is a fair sample of all.
//
// The place of an id in the order is its slot. Slots go round the ids in steps of the golden section, so the first n
// slots are spread evenly over the ids, however the ids are sorted (vocabularies are, by count); and neither direction
// needs a table.

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

/** The number that undoes multiplication by step, modulo count (extended Euclid). */
function inverse(step: number, count: number): number {
  let [a, b, u, v] = [step, count, 1, 0];
  while (b) [a, b, u, v] = [b, a % b, v, u - Math.floor(a / b) * v];
  return ((u % count) + count) % count;
}
