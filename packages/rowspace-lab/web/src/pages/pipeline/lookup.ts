// Draws the lookup: the ids at the left, the tall table E, and X at the right. At `time` t, the first floor(t) rows are
// copied and the next one is on its way: its id slides to the row of E, and the row moves to X.

import { css, fitted, themeColor } from "../../charts/theme-colors";
import { largest, signed, type Palette } from "../../charts/palette";
import { picture } from "../../charts/heatmap";
import { shortToken } from "../../format";
import { huesOf } from "../../state/token-hues";

export interface Lookup {
  tokens: string[];
  ids: ArrayLike<number>;
  /** (n, d), and the table downsampled to (height, width). */
  rows: ArrayLike<number>;
  cells: ArrayLike<number>;
  height: number;
  width: number;
  vocabulary: number;
  /** The tokens of all rows of a small table. */
  names: string[];
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const SLIDE = 0.4; // the share of the time in which the id slides
const MOVE = 0.55; // when the row starts to move
const HEAD = 22; // px above the matrices
const NAMES = 70; // px between E and X for the names of E's rows

/** The line of X, and the row of E. */
export const lineOf = ({ tokens }: Lookup, x: Box, index: number): Box => ({
  ...x,
  y: x.y + (index * x.height) / tokens.length,
  height: x.height / tokens.length,
});
export function rowOf({ ids, vocabulary }: Lookup, e: Box, index: number): Box {
  const height = Math.max(3, e.height / vocabulary);
  const middle = e.y + (((ids[index] as number) + 0.5) / vocabulary) * e.height;
  return { ...e, y: Math.max(e.y, Math.min(e.y + e.height - height, middle - height / 2)), height };
}

/** How far a movement is at a time between its start and end, eased, 0 to 1. */
export function eased(time: number, start: number, end: number): number {
  const share = Math.max(0, Math.min(1, (time - start) / (end - start)));
  return share * share * (3 - 2 * share);
}

export const between = (from: Box, to: Box, share: number): Box => ({
  x: from.x + (to.x - from.x) * share,
  y: from.y + (to.y - from.y) * share,
  width: from.width + (to.width - from.width) * share,
  height: from.height + (to.height - from.height) * share,
});

/** Where the ids end, the table E, and X, on a canvas of this size. */
function layout(lookup: Lookup, wide: number, high: number): { left: number; e: Box; x: Box } {
  const narrow = wide < 560;
  const [left, gap] = narrow ? [92, 26] : [150, 70];
  const wideE = lookup.names.length && !narrow ? 190 : narrow ? 74 : 150;
  const e: Box = { x: left + gap, y: HEAD, width: wideE, height: high - HEAD - 1 };
  const start = e.x + e.width + (lookup.names.length ? Math.max(gap, NAMES) : gap);
  const tall = Math.min(e.height, lookup.tokens.length * 30);
  return { left, e, x: { x: start, y: HEAD + (e.height - tall) / 2, width: wide - start - 1, height: tall } };
}

/** The token at a position in CSS pixels: its id and line of X, or its row of E; null elsewhere. */
export function tokenAt(canvas: HTMLCanvasElement, lookup: Lookup, atX: number, atY: number): string | null {
  const { e, x } = layout(lookup, canvas.clientWidth, canvas.clientHeight);
  const inside = (box: Box) => atY >= box.y && atY < box.y + box.height;
  const boxOf = (index: number) => (atX >= e.x && atX < x.x ? rowOf(lookup, e, index) : lineOf(lookup, x, index));
  return lookup.tokens.find((_, index) => inside(boxOf(index))) ?? null;
}

/** Draw the lookup at a time; `lit` is the token whose id, row and line are framed. */
export function drawLookup(canvas: HTMLCanvasElement, lookup: Lookup, time: number, lit: string | null = null): void {
  const context = fitted(canvas);
  if (!context) return;
  const { left, e, x } = layout(lookup, canvas.clientWidth, canvas.clientHeight);
  new Drawing(context, canvas, lookup, e, x).draw(time, left, lit);
}

class Drawing {
  #palette: Palette;
  constructor(
    private context: CanvasRenderingContext2D,
    private canvas: HTMLCanvasElement,
    private lookup: Lookup,
    private e: Box,
    private x: Box,
  ) {
    this.#palette = signed(canvas, Math.max(largest(lookup.cells), largest(lookup.rows)));
    context.imageSmoothingEnabled = false;
    context.textBaseline = "middle";
  }

  draw(time: number, left: number, lit: string | null): void {
    const { cells, height, width, tokens } = this.lookup;
    this.#image({ values: cells, rows: height, columns: width }, this.e);
    this.#frame(this.e, "--line");
    this.#frame(this.x, "--line");
    this.#titles();
    const done = Math.floor(time);
    tokens.forEach((token, index) => {
      this.#label(index, left, index === done || token === lit);
      if (token === lit || index < done || (index === done && time > done))
        this.#frame(rowOf(this.lookup, this.e, index), token === lit ? "--accent" : this.#hue(index));
      if (index < done) this.#row(index, lineOf(this.lookup, this.x, index));
    });
    tokens.forEach((token, index) => {
      if (token === lit && index < done) this.#frame(lineOf(this.lookup, this.x, index), "--accent");
    });
    if (done < tokens.length && time > done) this.#moving(done, time - done, left);
  }

  /** The id on its way to the row, or the row on its way to X. */
  #moving(index: number, time: number, left: number): void {
    const row = rowOf(this.lookup, this.e, index);
    const line = lineOf(this.lookup, this.x, index);
    if (time < MOVE) {
      const share = eased(time, 0, SLIDE);
      const y = this.#middle(index) + (row.y + row.height / 2 - this.#middle(index)) * share;
      this.#text(
        String(this.lookup.ids[index]),
        left + (this.e.x - left - 8) * share,
        y,
        this.#hue(index),
        "end",
        true,
      );
    } else {
      const lifted = { ...row, height: Math.max(row.height, 8) };
      const at = between(lifted, line, eased(time, MOVE, 1));
      this.#row(index, at);
      this.#frame(at, this.#hue(index));
    }
  }

  #row(index: number, box: Box): void {
    const { rows, tokens } = this.lookup;
    const d = rows.length / tokens.length;
    this.#image({ values: Array.prototype.slice.call(rows, index * d, (index + 1) * d), rows: 1, columns: d }, box);
  }

  #label(index: number, left: number, current: boolean): void {
    const { tokens, ids } = this.lookup;
    const y = this.#middle(index);
    const narrow = left < 120;
    const id = String(ids[index]);
    this.#text(id, left, y, current ? "--ink" : "--quiet", "end", true);
    this.#text(shortToken(tokens[index] as string, narrow ? 7 : 12), left - 9 * id.length - 12, y, "--ink", "end");
  }

  #titles(): void {
    const { vocabulary, names, tokens, rows } = this.lookup;
    const d = rows.length / (tokens.length || 1);
    this.#text(`E: ${vocabulary.toLocaleString("en")} × ${d}`, this.e.x, HEAD / 2 - 1, "--ink", "start");
    this.#text(
      `X: ${tokens.length} × ${d}`,
      this.x.x,
      Math.max(HEAD / 2 - 1, this.x.y - HEAD / 2 - 1),
      "--ink",
      "start",
    );
    const high = this.e.height / (names.length || 1);
    if (high < 11) return;
    names.forEach((name, id) =>
      this.#text(shortToken(name, 8), this.e.x + this.e.width + 6, this.e.y + (id + 0.5) * high, "--quiet", "start"),
    );
  }

  /** The color of the token at a place. */
  #hue(index: number): string {
    return `--class-${huesOf(this.lookup.tokens)[index]}`;
  }

  #middle(index: number): number {
    const { y, height } = lineOf(this.lookup, this.x, index);
    return y + height / 2;
  }

  #image(matrix: Parameters<typeof picture>[0], { x, y, width, height }: Box): void {
    if (matrix.columns) this.context.drawImage(picture(matrix, this.#palette), x, y, width, height);
  }

  #frame({ x, y, width, height }: Box, token: string): void {
    this.context.strokeStyle = css(themeColor(this.canvas, token));
    this.context.lineWidth = token === "--line" ? 1 : 1.5;
    this.context.strokeRect(x + 0.5, y + 0.5, width - 1, Math.max(1, height - 1));
  }

  #text(text: string, x: number, y: number, token: string, align: CanvasTextAlign, number = false): void {
    const family = getComputedStyle(this.canvas).getPropertyValue(number ? "--number" : "--text");
    this.context.font = `${number ? 12 : 14}px ${family}`;
    this.context.textAlign = align;
    this.context.fillStyle = css(themeColor(this.canvas, token));
    this.context.fillText(text, x, y);
  }
}
