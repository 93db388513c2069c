// The geometry of the figure: a band for each station, a column for each piece, and how far each station is at a time.

import type { Piece } from "../../api/types.generated";
import { huesOf } from "../../state/token-hues";

/** The most cells that a row is drawn with. */
export const MAX_CELLS = 24;
/** The number of words that are nearest to a piece. */
export const NEAREST = 3;

const WIDE = { left: 240, label: 0, band: 56, gap: 9, line: 18, column: 140, pieces: 8 };
const NARROW = { left: 16, label: 46, band: 0, gap: 14, line: 16, column: 84, pieces: 6 };
/** The height of a row, and the distance of the three rows of a sum. */
export const STRIP = 16;
export const STRIP_STEP = 22;
const GAP = 12; // px, for the sign of the pieces that are left out
const CONTENT = [34, 30, 24, STRIP + 8, 2 * STRIP_STEP + STRIP + 8]; // px, of the first five stations

export interface Layout {
  narrow: boolean;
  /** The left end of the drawing; labels are left of it, or above it on narrow screens. */
  left: number;
  width: number;
  pieces: number;
  /** The width of a column. */
  column: number;
  /** Whether pieces before the last one are left out. */
  gap: boolean;
  /** The height of a line of text. */
  line: number;
  /** Where labels and drawings of the stations start. */
  labels: number[];
  tops: number[];
  height: number;
}

/** Place the stations on a figure of this width, for a number of pieces; `gap` says that pieces are left out. */
export function layoutOf(width: number, pieces: number, gap = false): Layout {
  const narrow = isNarrow(width);
  const sizes = narrow ? NARROW : WIDE;
  const inner = Math.max(0, width - sizes.left);
  const heights = [...CONTENT, NEAREST * sizes.line + 4];
  const labels: number[] = [];
  let height = 0;
  for (const content of heights) {
    labels.push(height);
    height += sizes.label + Math.max(sizes.band, content) + sizes.gap;
  }
  return {
    narrow,
    left: sizes.left,
    width: inner,
    pieces,
    column: Math.min(sizes.column, (inner - (gap ? GAP : 0)) / Math.max(1, pieces)),
    gap,
    line: sizes.line,
    labels,
    tops: labels.map((top) => top + sizes.label),
    height,
  };
}

/** The left end of a column. */
export const leftOf = ({ left, column, gap, pieces }: Layout, place: number): number =>
  left + place * column + 2 + (gap && place === pieces - 1 ? GAP : 0);

const isNarrow = (width: number): boolean => width < 640;

/** The pieces that fit: the first ones, and the last one. */
export function piecesThatFit(count: number, width: number): number[] {
  const most = isNarrow(width) ? NARROW.pieces : WIDE.pieces;
  const all = Array.from({ length: count }, (_, place) => place);
  return count <= most ? all : [...all.slice(0, most - 1), count - 1];
}

/** Up to `most` columns of a row of `dim` numbers, evenly spaced. */
export function sampledColumns(dim: number, most = MAX_CELLS): number[] {
  const count = Math.min(dim, most);
  return Array.from({ length: count }, (_, cell) => Math.floor((cell * dim) / count));
}

/** How far a part of a station is, from 0 to 1: the part from `from` to `to` of its time. */
export function share(time: number, station: number, from = 0, to = 1): number {
  const x = Math.max(0, Math.min(1, (time - station - from) / (to - from)));
  return x * x * (3 - 2 * x); // slow at both ends
}

export const between = (from: number, to: number, share: number): number => from + (to - from) * share;

/** A token on its way: a piece of the text, its place among the tokens with a row, and its color. */
export interface Traveler {
  piece: Piece;
  /** The index of its row in X; -1 for a piece without a row. */
  row: number;
  /** 1 to 8, the color of the token on all pages. */
  color: number;
  /** Where its center is in the text, from 0 to 1. */
  origin: number;
}

/** The travelers of the pieces at `shown`. */
export function travelersOf(text: string, pieces: readonly Piece[], shown: readonly number[]): Traveler[] {
  const colors = huesOf(pieces.map(({ token }) => token));
  let [row, at] = [0, 0];
  const all = pieces.map((piece, place) => {
    const start = Math.max(at, text.indexOf(piece.text, at));
    at = start + piece.text.length;
    const origin = (start + piece.text.length / 2) / Math.max(1, text.length);
    return { piece, row: piece.row ? row++ : -1, color: colors[place] ?? 1, origin };
  });
  return shown.flatMap((place) => all[place] ?? []);
}
