// What lies over the points, on a 2-D canvas of its own: labels, rings around highlighted points, the lasso in the
// making and the mark at the middle that the keyboard points with. Which labels fit is decided in labels.ts.

import { shorten, Space, type Label } from "./labels";
import type { Points } from "./points";
import type { View } from "./camera";

export interface Theme {
  /** CSS colors: of text, of what lies behind the map, and of rings and lasso; and the font family. */
  text: string;
  paper: string;
  accent: string;
  font: string;
}

const HALO = 5; // which keeps a label readable on points of its own color
const MOST_LABELS = 70;
const MOST_REFUSED = 3000;
const MOST_LOOKED_AT = 50_000;

export class Overlay {
  theme: Theme = { text: "#222", paper: "#fff", accent: "#d55e00", font: "sans-serif" };
  textOf: ((id: number) => string) | null = null;
  /** Ids in the order in which they deserve a label, others get none; null is 0, 1, 2 … */
  order: Uint32Array | null = null;
  highlights = new Map<number, string>();
  hovered: number | null = null;
  lasso: [number, number][] = [];
  middle = false;
  labels: Label[] = [];

  private canvas = document.createElement("canvas");
  private context = this.canvas.getContext("2d")!;
  private pixels = 1;

  constructor(below: HTMLCanvasElement) {
    this.canvas.style.cssText = "position:absolute;inset:0;width:100%;height:100%;pointer-events:none";
    this.canvas.setAttribute("aria-hidden", "true");
    below.after(this.canvas);
  }

  resize(width: number, height: number, pixels: number): void {
    this.canvas.width = width;
    this.canvas.height = height;
    this.pixels = pixels;
  }

  remove(): void {
    this.canvas.remove();
  }

  /** Chooses the labels again; a quick choice looks at the first of the order only. */
  place(points: Points, view: View, quick: boolean): void {
    const space = new Space(view.width, view.height);
    this.labels = [];
    const marked = [...this.highlights].map(([id, text]) => ({ at: onScreen(points, view, id), text: shorten(text) }));
    for (const { at } of marked) if (at) space.take(...at, 0); // no label over a ring
    for (const { at, text } of marked) if (at && text) this.add(space, at, text, true);
    if (!this.textOf) return;
    const count = this.order?.length ?? points.count;
    const candidates = quick ? Math.min(count, MOST_LOOKED_AT) : count;
    for (let k = 0, refused = 0; k < candidates && refused < MOST_REFUSED; k++) {
      const id = this.order?.[k] ?? k;
      const at = onScreen(points, view, id);
      if (!at || this.highlights.has(id)) continue;
      const text = space.free(...at, 0) === null ? "" : shorten(this.textOf(id));
      const fits = text !== "" && this.add(space, at, text, false);
      if (!fits) refused++;
      if (this.labels.length >= MOST_LABELS) return;
    }
  }

  paint(points: Points, view: View, diameter: number): void {
    const { context, theme } = this;
    context.setTransform(this.pixels, 0, 0, this.pixels, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    context.lineJoin = "round";
    context.textBaseline = "middle";
    for (const label of this.labels) this.write(label);
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    const rings = this.hovered === null ? this.highlights.keys() : [...this.highlights.keys(), this.hovered];
    for (const id of rings) this.ring(points, view, id, diameter / this.pixels / 2 + 3);
    if (this.hovered !== null && this.textOf) this.tell(points, view, this.hovered);
    if (this.middle) this.cross(view.width / 2, view.height / 2);
    if (this.lasso.length > 1) this.outline();
  }

  private font(marked: boolean): string {
    return `${marked ? 600 : 400} 12px ${this.theme.font}`;
  }

  private add(space: Space, [x, y]: [number, number], text: string, marked: boolean): boolean {
    this.context.font = this.font(marked);
    const { width } = this.context.measureText(text);
    const left = space.put(x, y, width, marked);
    if (left === null) return false;
    this.labels.push({ text, left, y, marked });
    return true;
  }

  private write({ text, y, left, marked }: Label): void {
    const { context, theme } = this;
    context.font = this.font(marked);
    context.strokeStyle = theme.paper;
    context.lineWidth = HALO;
    context.strokeText(text, left, y);
    context.fillStyle = theme.text;
    context.fillText(text, left, y);
  }

  private ring(points: Points, view: View, id: number, radius: number): void {
    const at = onScreen(points, view, id);
    if (!at) return;
    this.context.beginPath();
    this.context.arc(...at, radius, 0, 2 * Math.PI);
    this.context.stroke();
  }

  /** The text of the point under the pointer, on a ground of its own. */
  private tell(points: Points, view: View, id: number): void {
    const at = onScreen(points, view, id);
    if (!at) return;
    const { context, theme } = this;
    const text = shorten(this.textOf!(id));
    context.font = this.font(true);
    const width = context.measureText(text).width;
    const left = at[0] + 18 + width < view.width ? at[0] + 12 : at[0] - 12 - width;
    context.fillStyle = theme.paper;
    context.fillRect(left - 4, at[1] - 10, width + 8, 20);
    context.fillStyle = theme.text;
    context.fillText(text, left, at[1]);
  }

  private cross(x: number, y: number): void {
    const { context } = this;
    context.beginPath();
    const arms = [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ] as const;
    for (const [right, down] of arms) {
      context.moveTo(x + 8 * right, y + 8 * down);
      context.lineTo(x + 16 * right, y + 16 * down);
    }
    context.stroke();
  }

  private outline(): void {
    const { context, lasso } = this;
    context.beginPath();
    for (const place of lasso) context.lineTo(...place);
    context.closePath();
    context.stroke();
    context.globalAlpha = 0.12;
    context.fillStyle = this.theme.accent;
    context.fill("evenodd");
    context.globalAlpha = 1;
  }
}

function onScreen(points: Points, view: View, id: number): [number, number] | null {
  if (!points.isDrawn(id)) return null;
  const slot = points.order.slotOf(id);
  const at = view.toScreen(points.xOf(slot), points.yOf(slot));
  return at[0] >= 0 && at[1] >= 0 && at[0] <= view.width && at[1] <= view.height ? at : null;
}
