// A 2D canvas above the points: labels, rings around highlighted points, the lasso while it is drawn, and the cross at
// the center for keyboard use. labels.ts decides which labels fit.

import { shorten, Space, type Label } from "./labels";
import type { Points } from "./points";
import type { Camera } from "./camera";

export interface Theme {
  /** CSS colors of text, names of regions, background, rings and lasso; the font family. */
  text: string;
  region: string;
  paper: string;
  accent: string;
  font: string;
}

const HALO = 5; // px; keeps labels readable on points of their color
const MAX_LABELS = 70;
const REGION_LINES = [0, -24, 24, -48, 48];
const LINES = [0, -14, 14, -28, 28]; // px; how far the label of a highlight may move up or down
const MAX_REJECTED = 3000;
const MAX_QUICK_CANDIDATES = 50_000;

/** The name of a region, drawn at its center in data coordinates while the map is seen from far. */
export interface Region {
  name: string;
  x: number;
  y: number;
}

export class Overlay {
  theme: Theme = { text: "#222", region: "#555", paper: "#fff", accent: "#d55e00", font: "sans-serif" };
  textOf: ((id: number) => string) | null = null;
  /** Ids by priority of their labels, others get none; null: 0, 1, 2 … */
  order: Uint32Array | null = null;
  /** The only ids that get labels while the map is seen from far, together with the names of regions. */
  farOrder: Uint32Array | null = null;
  regions: readonly Region[] = [];
  highlights = new Map<number, string>();
  hovered: number | null = null;
  lasso: [number, number][] = [];
  /** Lines in data coordinates, (n, 2) each. */
  paths: readonly Float32Array[] = [];
  /** Thin lines between two points: x, y, x, y each. */
  links: Float32Array = new Float32Array();
  middle = false;
  labels: Label[] = [];
  private regionLabels: Label[] = [];

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

  /** Choose and place the labels; `quick` considers the first candidates only. */
  place(points: Points, camera: Camera, quick: boolean): void {
    const space = new Space(camera.width, camera.height);
    this.labels = [];
    this.regionLabels = [];
    const order = camera.isFar && this.farOrder ? this.farOrder : this.order;
    const marked = [...this.highlights].map(([id, text]) => ({
      at: onScreen(points, camera, id),
      text: shorten(text),
    }));
    for (const { at } of marked) if (at) space.take(...at, 0); // no label covers a ring
    for (const { at, text } of marked) if (at && text) this.add(space, at, text, true);
    if (camera.isFar) for (const region of this.regions) this.addRegion(space, camera, region);
    if (!this.textOf) return;
    const count = order?.length ?? points.count;
    const candidates = quick ? Math.min(count, MAX_QUICK_CANDIDATES) : count;
    for (let k = 0, rejected = 0; k < candidates && rejected < MAX_REJECTED; k++) {
      const id = order?.[k] ?? k;
      const at = onScreen(points, camera, id);
      if (!at || this.highlights.has(id)) continue;
      const text = space.free(...at, 0) === null ? "" : shorten(this.textOf(id));
      const fits = text !== "" && this.add(space, at, text, false);
      if (!fits) rejected++;
      if (this.labels.length >= MAX_LABELS) return;
    }
  }

  paint(points: Points, camera: Camera, diameter: number): void {
    const { context, theme } = this;
    context.setTransform(this.pixels, 0, 0, this.pixels, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    context.lineJoin = "round";
    context.textBaseline = "middle";
    this.paintLinks(camera);
    for (const path of this.paths) this.line(camera, path);
    for (const label of this.regionLabels) this.write(label, this.regionFont(), theme.region);
    for (const label of this.labels) this.write(label, this.font(label.marked), theme.text);
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    const rings = this.hovered === null ? this.highlights.keys() : [...this.highlights.keys(), this.hovered];
    for (const id of rings) this.ring(points, camera, id, diameter / this.pixels / 2 + 3);
    if (this.hovered !== null && this.textOf) this.writeHovered(points, camera, this.hovered);
    if (this.middle) this.cross(camera.width / 2, camera.height / 2);
    if (this.lasso.length > 1) this.outline();
  }

  private font(marked: boolean): string {
    return `${marked ? 600 : 400} 12px ${this.theme.font}`;
  }

  private add(space: Space, [x, y]: [number, number], text: string, marked: boolean): boolean {
    this.context.font = this.font(marked);
    const { width } = this.context.measureText(text);
    const line = marked ? (LINES.find((shift) => space.free(x, y + shift, width) !== null) ?? 0) : 0;
    const left = space.put(x, y + line, width, marked);
    if (left === null) return false;
    this.labels.push({ text, left, y: y + line, marked });
    return true;
  }

  private regionFont(): string {
    return `italic 600 16px ${this.theme.font}`;
  }

  /** Name a region around its center, if there is space. */
  private addRegion(space: Space, camera: Camera, { name, x, y }: Region): void {
    this.context.font = this.regionFont();
    const { width } = this.context.measureText(name);
    const [center, top] = camera.toScreen(x, y);
    for (const shift of REGION_LINES) {
      const left = space.free(center - width / 2, top + shift, width);
      if (left === null) continue;
      space.take(left, top + shift, width);
      this.regionLabels.push({ text: name, left, y: top + shift, marked: false });
      return;
    }
  }

  private write({ text, y, left }: Label, font: string, color: string): void {
    const { context, theme } = this;
    context.font = font;
    context.strokeStyle = theme.paper;
    context.lineWidth = HALO;
    context.strokeText(text, left, y);
    context.fillStyle = color;
    context.fillText(text, left, y);
  }

  private line(camera: Camera, path: Float32Array): void {
    const { context } = this;
    context.strokeStyle = this.theme.accent;
    context.lineWidth = 1.2;
    context.beginPath();
    for (let at = 0; at + 1 < path.length; at += 2)
      context.lineTo(...camera.toScreen(path[at] as number, path[at + 1] as number));
    context.stroke();
  }

  private paintLinks(camera: Camera): void {
    const { context, links } = this;
    context.strokeStyle = this.theme.region;
    context.lineWidth = 1;
    context.globalAlpha = 0.35;
    context.beginPath();
    for (let at = 0; at + 3 < links.length; at += 4) {
      context.moveTo(...camera.toScreen(links[at]!, links[at + 1]!));
      context.lineTo(...camera.toScreen(links[at + 2]!, links[at + 3]!));
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  private ring(points: Points, camera: Camera, id: number, radius: number): void {
    const at = onScreen(points, camera, id);
    if (!at) return;
    this.context.beginPath();
    this.context.arc(...at, radius, 0, 2 * Math.PI);
    this.context.stroke();
  }

  /** The text of the point under the pointer, on a background. */
  private writeHovered(points: Points, camera: Camera, id: number): void {
    const at = onScreen(points, camera, id);
    if (!at) return;
    const { context, theme } = this;
    const text = shorten(this.textOf!(id));
    context.font = this.font(true);
    const width = context.measureText(text).width;
    const left = at[0] + 18 + width < camera.width ? at[0] + 12 : at[0] - 12 - width;
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
    for (const corner of lasso) context.lineTo(...corner);
    context.closePath();
    context.stroke();
    context.globalAlpha = 0.12;
    context.fillStyle = this.theme.accent;
    context.fill("evenodd");
    context.globalAlpha = 1;
  }
}

function onScreen(points: Points, camera: Camera, id: number): [number, number] | null {
  if (!points.isDrawn(id)) return null;
  const slot = points.order.slotOf(id);
  const at = camera.toScreen(points.xOf(slot), points.yOf(slot));
  return at[0] >= 0 && at[1] >= 0 && at[0] <= camera.width && at[1] <= camera.height ? at : null;
}
