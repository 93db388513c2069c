// Measures labels, and places them without overlap, in order of priority. A grid of small cells marks occupied space, so that the cost of a
// candidate does not depend on the number of labels.

import { styledElement } from "../host";

export interface Label {
  text: string;
  /** The left edge and the vertical center of the text, in CSS pixels. */
  left: number;
  y: number;
  marked: boolean;
}

export const HEIGHT = 16;
const CELL = 6;
const GAP = 6;
const MAX_LENGTH = 28;

export class Space {
  private columns: number;
  private rows: number;
  private taken: Uint8Array;

  constructor(width: number, height: number) {
    this.columns = Math.ceil(width / CELL);
    this.rows = Math.ceil(height / CELL);
    this.taken = new Uint8Array(this.columns * this.rows);
  }

  /** The left edge of free space for a text to the right or left of a point, or null. */
  free(x: number, y: number, width: number): number | null {
    const free = (left: number) => this.cells(left, y, width, (cell) => this.taken[cell] === 0);
    return [x + GAP, x - GAP - width].find(free) ?? null;
  }

  /** Reserve space for a text next to a point and return its left edge; `needed` reserves occupied space if necessary. */
  put(x: number, y: number, width: number, needed = false): number | null {
    const left = this.free(x, y, width) ?? (needed ? x + GAP : null);
    if (left !== null) this.take(left, y, width);
    return left;
  }

  take(left: number, y: number, width: number): void {
    this.cells(left, y, width, (cell) => (this.taken[cell] = 1) === 1);
  }

  /** Return whether all cells under a text pass the test; false outside the grid. */
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

/** A label text of at most 28 characters. */
export function shorten(text: string): string {
  const characters = Array.from(text.slice(0, 4 * MAX_LENGTH));
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join("")}…` : characters.join("");
}

let pen: CanvasRenderingContext2D | null = null;

/** The width of a text in pixels, with a small margin. */
export function textWidth(text: string, size: number): number {
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return 0.64 * size * text.length;
  pen.font = `${size}px ${getComputedStyle(styledElement()).fontFamily}`;
  return pen.measureText(text).width + 4;
}
