// A map of points: up to a million positions drawn, moved, picked and labeled on a canvas, on a graphics processor or
// without one. It knows points, colors and texts by id, and nothing of tables or pages.
//
// Here is what others call, and what pointer and keys do to it. The canvas's parent must be positioned. The rest:
//   points.ts     where the points are and how they look, in the order of order.ts
//   view.ts       where one looks
//   painting.ts   what a frame draws: all of the points, or a part while they move; `drawn` says how many
//     frames.ts     when to draw, and how much
//     tween.ts      a move from some positions to others
//     density.ts    how large and dark a point is
//     backend.ts    who draws: webgl.ts with shaders.ts, or raster.ts
//     overlay.ts    labels (labels.ts), rings, lasso
//   near.ts       what is under the pointer or inside the lasso
//   gestures.ts   pointer, wheel and keys

import type { BackendName } from "./backend";
import { listen, type Meanings } from "./gestures";
import type { Label } from "./labels";
import { Near } from "./point-index";
import type { Theme } from "./overlay";
import { Painting } from "./painting";
import { Points } from "./points";
import { View, type Look } from "./camera";

export type { BackendName, Look, Theme };

export interface MapEvents {
  /** The point under the pointer, or null. */
  hover?(id: number | null): void;
  click?(id: number | null): void;
  /** Ascending ids inside the lasso, none when it was given up, and its corners in the coordinates of the points. */
  lasso?(ids: Uint32Array, polygon: [number, number][]): void;
  /** After each frame: where one looks, and how many points of how many are drawn. */
  view?(look: Look, drawn: number, count: number): void;
  /** A finger or the wheel scrolled the page instead of moving the map. */
  scrolled?(by: "finger" | "wheel"): void;
}

export interface MapOptions {
  backend?: BackendName | "auto";
  on?: MapEvents;
}

const REACH = 10;

export function createMap(canvas: HTMLCanvasElement, options: MapOptions = {}): MapRenderer {
  return new MapRenderer(canvas, options);
}

export class MapRenderer {
  /** A drag draws a lasso instead of moving the picture. */
  lassoing = false;
  /** The view shows all points, wherever they go, until someone moves it. */
  follows = true;

  private points = new Points();
  private view = new View();
  private near = new Near(this.points);
  private painting: Painting;
  private events: MapEvents;
  private resized: ResizeObserver;
  private stopListening: () => void;

  constructor(canvas: HTMLCanvasElement, options: MapOptions) {
    this.events = options.on ?? {};
    const painted = () => this.events.view?.(this.look, this.drawn, this.count);
    this.painting = new Painting(canvas, this.points, this.view, options.backend ?? "auto", painted);
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(canvas);
    this.stopListening = listen(canvas, this.meanings());
    this.resize();
  }

  get backendName(): BackendName {
    return this.painting.backend.name;
  }

  get count(): number {
    return this.points.count;
  }

  /** How many points stand on the picture now. */
  get drawn(): number {
    return this.painting.drawn;
  }

  /** How many points have no finite position and are not drawn. */
  get missing(): number {
    return this.points.missing;
  }

  /** xy: (count, 2) by id. */
  setPoints(xy: Float32Array): void {
    this.painting.tween = null;
    this.points.set(xy);
    this.near.forget();
    this.painting.takeAll();
    this.keepLook();
  }

  /** Moves all points to xy, from wherever they now are: frames of a running job may come at any time. */
  moveTo(xy: Float32Array, milliseconds: number): void {
    if (milliseconds <= 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) return this.setPoints(xy);
    this.points.moveTo(xy);
    this.near.forget();
    const all = this.view.fitting(this.points.box);
    this.painting.takeMove(milliseconds, this.follows ? all : null);
  }

  /** rgba: (count, 4), or (count,) indices into a palette of (k, 4). */
  setColors(rgba: Uint8Array, palette?: Uint8Array): void {
    this.points.setColors(rgba, palette);
    this.painting.takeLooks();
  }

  /** (count,) sizes relative to the common one, or null. */
  setSizes(sizes: Float32Array | null): void {
    this.points.setSizes(sizes);
    this.painting.takeLooks();
  }

  /** All but these ids become faint; null ends that. */
  setEmphasis(ids: ArrayLike<number> | null): void {
    this.points.setEmphasis(ids);
    this.painting.takeLooks();
  }

  /** Rings around these ids, with labels that are always shown. */
  setHighlights(ids: ArrayLike<number>, labels: readonly string[] = []): void {
    this.painting.overlay.highlights = new Map(Array.from(ids, (id, k) => [id, labels[k] ?? ""]));
    this.painting.relabel();
  }

  /** The text of an id, and the ids in the order in which they deserve a label (without: 0, 1, 2 …). */
  setLabels(textOf: ((id: number) => string) | null, order: Uint32Array | null = null): void {
    this.painting.overlay.textOf = textOf;
    this.painting.overlay.order = order;
    this.painting.relabel();
  }

  setTheme(theme: Theme): void {
    this.painting.overlay.theme = theme;
    this.painting.relabel();
  }

  /** Whether one can zoom in, and out. */
  get zooms(): { in: boolean; out: boolean } {
    return this.view.zooms;
  }

  get look(): Look {
    return this.view.look;
  }

  set look(look: Look) {
    this.follows = false;
    this.view.set(look);
    this.painting.touch();
  }

  /** Shows all points, and goes on doing so when they move. */
  fit(): void {
    this.follows = true;
    this.showAll();
    const { tween } = this.painting;
    if (tween) tween.start = tween.goal = this.look;
    this.painting.touch();
  }

  /** Zooms about the middle. */
  zoom(factor: number): void {
    this.meanings().zoom(factor, this.view.width / 2, this.view.height / 2);
  }

  /** The id of the point nearest to a place of the canvas (CSS pixels), within 10 pixels, or null. */
  pick(x: number, y: number): number | null {
    return this.near.pick(...this.view.toData(x, y), REACH / this.view.scale);
  }

  /** The ids inside a polygon on the canvas (CSS pixels). */
  lasso(polygon: readonly [number, number][]): Uint32Array {
    return this.near.inside(polygon.map(([x, y]) => this.view.toData(x, y)));
  }

  /** Where a point is on the canvas (CSS pixels), or null if it has no position. */
  placeOf(id: number): [number, number] | null {
    const slot = this.points.order.slotOf(id);
    return this.points.isDrawn(id) ? this.view.toScreen(this.points.xOf(slot), this.points.yOf(slot)) : null;
  }

  /** The labels that are shown now. */
  get labels(): readonly Label[] {
    return this.painting.overlay.labels;
  }

  /** Resolves when every point is drawn and nothing moves. */
  settled(): Promise<void> {
    return this.painting.settled();
  }

  /** Asks for a frame; every change does so by itself. */
  draw(): void {
    this.painting.touch();
  }

  destroy(): void {
    this.resized.disconnect();
    this.stopListening();
    this.painting.destroy();
  }

  private resize(): void {
    this.painting.resize();
    this.keepLook();
  }

  private showAll(): void {
    this.view.set(this.view.fitting(this.points.box));
  }

  /** After the points or the canvas have changed: all of them, or the same look within its new bounds. */
  private keepLook(): void {
    const all = this.view.fitting(this.points.box);
    this.view.set(this.follows ? all : this.look);
  }

  private hover(id: number | null, byKey: boolean): void {
    const { overlay } = this.painting;
    overlay.middle = byKey;
    if (id !== overlay.hovered) this.events.hover?.(id);
    overlay.hovered = id;
    this.painting.mark();
  }

  private meanings(): Meanings {
    const { view, painting, events } = this;
    const moved = () => {
      this.follows = false;
      if (painting.tween) painting.tween.goal = null;
      painting.touch();
    };
    return {
      pan: (right, down) => (view.pan(right, down), moved()),
      zoom: (factor, x, y) => (view.zoom(factor, x, y), moved()),
      fit: () => this.fit(),
      hover: (place, byKey) => this.hover(place && this.pick(...place), byKey),
      click: (x, y) => events.click?.(this.pick(x, y)),
      lasso: (path, complete) => {
        painting.overlay.lasso = complete ? [] : path;
        if (complete) {
          const polygon = path.map(([x, y]) => this.view.toData(x, y));
          events.lasso?.(this.near.inside(polygon), polygon);
        }
        painting.mark();
      },
      lassoing: () => this.lassoing,
      scrolled: (by) => events.scrolled?.(by),
      middle: () => [view.width / 2, view.height / 2],
    };
  }
}
