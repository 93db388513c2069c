// Draws a matrix as an image with a pixel per cell, which the canvas scales.

import { css, fitted, themeColor, type Rgb } from "./theme-colors";
import type { Palette } from "./palette";

export interface Matrix {
  values: ArrayLike<number>;
  rows: number;
  columns: number;
}

export interface Cell {
  row: number;
  column: number;
}

/** Rows and columns of a matrix that are framed. */
export interface Framed {
  rows: number[];
  columns: number[];
}

/** The rows and columns of a token, by the names that they have. */
export function framedBy(token: string | null, rows: readonly string[] = [], columns: readonly string[] = []): Framed {
  const places = (names: readonly string[]) => names.flatMap((name, at) => (name === token ? [at] : []));
  return { rows: places(rows), columns: places(columns) };
}

/** Draw the matrix on the whole canvas, with a crosshair if there is one, and frames. */
export function drawHeatMap(
  canvas: HTMLCanvasElement,
  matrix: Matrix,
  palette: Palette,
  cross: Cell | null,
  framed: Framed = { rows: [], columns: [] },
): void {
  const context = fitted(canvas);
  if (!context || !matrix.rows || !matrix.columns) return;
  context.imageSmoothingEnabled = false;
  context.drawImage(picture(matrix, palette), 0, 0, canvas.clientWidth, canvas.clientHeight);
  drawFrames(context, canvas, matrix, framed);
  if (cross) drawFrames(context, canvas, matrix, { rows: [cross.row], columns: [cross.column] });
}

/** The cell at a position in CSS pixels. */
export function cellAt(canvas: HTMLCanvasElement, { rows, columns }: Matrix, x: number, y: number): Cell {
  const index = (at: number, size: number, count: number) =>
    Math.max(0, Math.min(count - 1, Math.floor((at / size) * count)));
  return { row: index(y, canvas.clientHeight, rows), column: index(x, canvas.clientWidth, columns) };
}

/** The matrix as an image with a pixel per cell. */
export function picture({ values, rows, columns }: Matrix, palette: Palette): OffscreenCanvas {
  const image = new ImageData(columns, rows);
  const cells = new Uint32Array(image.data.buffer);
  for (let cell = 0; cell < cells.length; cell++) cells[cell] = packed(palette(values[cell] as number));
  const canvas = new OffscreenCanvas(columns, rows);
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}

// Browsers only run on little-endian machines, so red is the lowest byte.
const packed = ([red, green, blue]: Rgb): number => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

function drawFrames(
  context: CanvasRenderingContext2D,
  canvas: HTMLCanvasElement,
  matrix: Matrix,
  framed: Framed,
): void {
  const [width, height] = [canvas.clientWidth / matrix.columns, canvas.clientHeight / matrix.rows];
  context.strokeStyle = css(themeColor(canvas, "--class-2"));
  context.lineWidth = 1.5;
  for (const column of framed.columns) context.strokeRect(column * width, 0, width, canvas.clientHeight);
  for (const row of framed.rows) context.strokeRect(0, row * height, canvas.clientWidth, height);
}
