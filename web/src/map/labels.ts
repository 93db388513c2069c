// Which labels are shown, and where: the first in order that are visible and overlap no other. Space is kept on a grid
// of small cells, so that a candidate costs a few look-ups however many labels there are. Next: overlay.ts.

export interface Label {
  text: string;
  /** Where the text begins, and its middle line, in CSS pixels. */
  left: number;
  y: number;
  marked: boolean;
}

export const HEIGHT = 16;
const CELL = 6;
const GAP = 6;
const LONGEST = 28;

export class Space {
  private columns: number;
  private rows: number;
  private taken: Uint8Array;

  constructor(width: number, height: number) {
    this.columns = Math.ceil(width / CELL);
    this.rows = Math.ceil(height / CELL);
    this.taken = new Uint8Array(this.columns * this.rows);
  }

  /** Where a text of this width may begin, right or left of a point, or null. */
  free(x: number, y: number, width: number): number | null {
    const free = (left: number) => this.cells(left, y, width, (cell) => this.taken[cell] === 0);
    return [x + GAP, x - GAP - width].find(free) ?? null;
  }

  /** Take room for a text beside a point and return where it begins; one that is needed takes it where none is free. */
  put(x: number, y: number, width: number, needed = false): number | null {
    const left = this.free(x, y, width) ?? (needed ? x + GAP : null);
    if (left !== null) this.take(left, y, width);
    return left;
  }

  take(left: number, y: number, width: number): void {
    this.cells(left, y, width, (cell) => (this.taken[cell] = 1) === 1);
  }

  /** Whether all cells under a text hold to the test; none outside does. */
  private cells(left: number, y: number, width: number, test: (cell: number) => boolean): boolean {
    const [first, last] = [Math.floor(left / CELL), Math.floor((left + width) / CELL)];
    const [top, bottom] = [Math.floor((y - HEIGHT / 2) / CELL), Math.floor((y + HEIGHT / 2) / CELL)];
    if (first < 0 || top < 0 || last >= this.columns || bottom >= this.rows) return false;
    for (let row = top; row <= bottom; row++) {
      for (let column = first; column <= last; column++) if (!test(row * this.columns + column)) return false;
    }
    return true;
  }
}

/** A token as a label: at most 28 characters. */
export function shorten(text: string): string {
  const characters = Array.from(text.slice(0, 4 * LONGEST));
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join("")}…` : characters.join("");
}
