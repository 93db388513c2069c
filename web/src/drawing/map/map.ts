// A map of points: up to a million positions drawn, moved, picked and labelled on a canvas, on a graphics processor or
// without one. It knows points, colours and texts by id, and nothing of tables or pages.
//
// What it consists of: points.ts (where they are), view.ts (where one looks), frames.ts (when to draw and how much),
// density.ts (how large and dark), backend.ts (who draws: webgl.ts or raster.ts), overlay.ts (labels and rings),
// near.ts (what is under the pointer), gestures.ts (pointer, wheel, keys). The canvas's parent must be positioned.
//
// While the picture moves, as many points are drawn as the machine can in a frame, a fair sample of all; once it rests
// the others are added. `drawn` and the event view say how many of how many stand on it.

import { openBackend, type Backend, type BackendName } from "./backend";
import { penFor, strengthFor, type Pen } from "./density";
import { Frames } from "./frames";
import { listen } from "./gestures";
import type { Label } from "./labels";
import { Near } from "./near";
import { Overlay, type Theme } from "./overlay";
import { Points } from "./points";
import { View, type Look } from "./view";

export type { BackendName, Look, Theme };

export interface MapEvents {
  /** The point under the pointer, or null. */
  hover?(id: number | null): void;
  click?(id: number | null): void;
  /** Ascending ids inside the lasso; none when it was given up. */
  lasso?(ids: Uint32Array): void;
  /** After each frame: where one looks, and how many points of how many are drawn. */
  view?(look: Look, drawn: number, count: number): void;
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
  /** How many points stand on the picture now. */
  drawn = 0;
  /** The view shows all points, wherever they go, until someone moves it. */
  follows = true;

  private points = new Points();
  private view = new View();
  private near = new Near(this.points);
  private frames = new Frames((now, budget) => this.frame(now, budget), () => this.stale);
  private canvas: HTMLCanvasElement;
  private backend: Backend;
  private overlay: Overlay;
  private events: MapEvents;
  private pen: Pen = { diameter: 1, strength: 1 };
  private pixels = 1;
  private tween: Tween | null = null;
  private stale = true;
  /** Labels, rings or lasso have changed. */
  private marked = true;
  private waiting: (() => void)[] = [];
  private resized: ResizeObserver;
  private stopListening: () => void;

  constructor(canvas: HTMLCanvasElement, options: MapOptions) {
    this.canvas = canvas;
    this.events = options.on ?? {};
    this.backend = openBackend(canvas, options.backend ?? "auto", () => this.takeAll());
    this.overlay = new Overlay(canvas);
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(canvas);
    this.stopListening = listen(canvas, this.meanings());
    this.resize();
  }

  get backendName(): BackendName {
    return this.backend.name;
  }

  get count(): number {
    return this.points.count;
  }

  /** How many points have no finite position and are not drawn. */
  get missing(): number {
    return this.points.missing;
  }

  /** xy: (count, 2) by id. */
  setPoints(xy: Float32Array): void {
    this.tween = null;
    this.points.set(xy);
    this.near.forget();
    this.takeAll();
    if (this.follows) this.view.set(this.view.fitting(this.points.box));
  }

  /** Moves all points to xy, from wherever they now are: frames of a running job may come at any time. */
  moveTo(xy: Float32Array, milliseconds: number): void {
    if (milliseconds <= 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) return this.setPoints(xy);
    const eased = this.tween === null;
    this.points.moveTo(xy);
    this.near.forget();
    this.backend.takePositions(this.points);
    const goal = this.follows ? this.view.fitting(this.points.box) : null;
    this.tween = { milliseconds, eased, began: null, start: this.look, goal };
    this.touch();
  }

  /** rgba: (count, 4), or (count,) indices into a palette of (k, 4). */
  setColours(rgba: Uint8Array, palette?: Uint8Array): void {
    this.points.setColours(rgba, palette);
    this.takeLooks();
  }

  /** (count,) sizes relative to the common one, or null. */
  setSizes(sizes: Float32Array | null): void {
    this.points.setSizes(sizes);
    this.takeLooks();
  }

  /** All but these ids become faint; null ends that. */
  setEmphasis(ids: ArrayLike<number> | null): void {
    this.points.setEmphasis(ids);
    this.takeLooks();
  }

  /** Rings around these ids, with labels that are always shown. */
  setHighlights(ids: ArrayLike<number>, labels: readonly string[] = []): void {
    this.overlay.highlights = new Map(Array.from(ids, (id, k) => [id, labels[k] ?? ""]));
    this.relabel();
  }

  /** The text of an id, and the ids in the order in which they deserve a label (without: 0, 1, 2 …). */
  setLabels(textOf: ((id: number) => string) | null, order: Uint32Array | null = null): void {
    this.overlay.textOf = textOf;
    this.overlay.order = order;
    this.relabel();
  }

  setTheme(theme: Theme): void {
    this.overlay.theme = theme;
    this.relabel();
  }

  get look(): Look {
    return { x: this.view.x, y: this.view.y, scale: this.view.scale };
  }

  set look(look: Look) {
    this.follows = false;
    this.view.set(look);
    this.touch();
  }

  /** Shows all points, and goes on doing so when they move. */
  fit(): void {
    this.follows = true;
    this.view.set(this.view.fitting(this.points.box));
    if (this.tween) this.tween = { ...this.tween, start: this.look, goal: this.look };
    this.touch();
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
    return this.overlay.labels;
  }

  /** Resolves when every point is drawn and nothing moves. */
  settled(): Promise<void> {
    this.frames.request();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Asks for a frame; every change does so by itself. */
  draw(): void {
    this.touch();
  }

  destroy(): void {
    this.frames.stop();
    this.resized.disconnect();
    this.stopListening();
    this.overlay.remove();
    this.backend.destroy();
  }

  private frame(now: number, budget: number): boolean {
    const fresh = this.stale;
    this.stale = false;
    if (fresh) this.begin(now);
    const before = this.drawn;
    if (fresh || before < this.count) this.addPoints(budget);
    const complete = this.drawn >= this.count && !this.tween;
    const labelled = fresh || (complete && before < this.count);
    if (labelled) this.overlay.place(this.points, this.view, !complete);
    if (labelled || this.marked) this.overlay.paint(this.points, this.view, this.pen.diameter);
    this.marked = false;
    if (fresh || before < this.drawn) this.events.view?.(this.look, this.drawn, this.count);
    if (this.tween) this.stale = true;
    else if (complete) for (const done of this.waiting.splice(0)) done();
    return !complete;
  }

  private begin(now: number): void {
    if (this.tween) this.advance(this.tween, now);
    this.pen = penFor(this.points, this.view, this.pixels);
    this.backend.begin();
    this.drawn = 0;
  }

  private advance(tween: Tween, now: number): void {
    tween.began ??= now;
    const part = Math.min((now - tween.began) / tween.milliseconds, 1);
    const progress = tween.eased ? part * part * (3 - 2 * part) : part;
    this.points.progress = progress;
    if (tween.goal) this.view.between(tween.start, tween.goal, progress);
    if (part >= 1) this.tween = null;
  }

  private addPoints(budget: number): void {
    const { points, view, pixels, pen } = this;
    const last = Math.min(points.count, this.drawn + budget);
    const frame = { x: view.x, y: view.y, scale: view.scale * pixels, diameter: pen.diameter };
    this.backend.add(points, frame, this.drawn, last);
    this.drawn = last;
    this.backend.show(strengthFor(pen, last, points.count));
  }

  private resize(): void {
    const { canvas, view } = this;
    this.pixels = window.devicePixelRatio || 1;
    [view.width, view.height] = [canvas.clientWidth || 1, canvas.clientHeight || 1];
    canvas.width = Math.round(view.width * this.pixels);
    canvas.height = Math.round(view.height * this.pixels);
    this.backend.resize(canvas.width, canvas.height);
    this.overlay.resize(canvas.width, canvas.height, this.pixels);
    if (this.follows) this.view.set(this.view.fitting(this.points.box));
    this.touch();
  }

  private takeAll(): void {
    this.backend.takePositions(this.points);
    this.takeLooks();
  }

  private takeLooks(): void {
    this.backend.takeLooks(this.points);
    this.touch();
  }

  private touch(): void {
    this.stale = true;
    this.frames.request();
  }

  private relabel(): void {
    this.overlay.place(this.points, this.view, false);
    this.mark();
  }

  private mark(): void {
    this.marked = true;
    this.frames.request();
  }

  private hover(id: number | null, byKey: boolean): void {
    this.overlay.middle = byKey;
    if (id !== this.overlay.hovered) this.events.hover?.(id);
    this.overlay.hovered = id;
    this.mark();
  }

  private meanings() {
    const { view, overlay, events } = this;
    const moved = () => {
      this.follows = false;
      if (this.tween) this.tween.goal = null;
      this.touch();
    };
    const middle = (): [number, number] => [view.width / 2, view.height / 2];
    return {
      pan: (right: number, down: number) => (view.pan(right, down), moved()),
      zoom: (factor: number, x: number, y: number) => (view.zoom(factor, x, y), moved()),
      fit: () => this.fit(),
      hover: (place: [number, number] | null, byKey: boolean) => this.hover(place && this.pick(...place), byKey),
      click: (x: number, y: number) => events.click?.(this.pick(x, y)),
      lasso: (path: [number, number][], complete: boolean) => {
        overlay.lasso = complete ? [] : path;
        if (complete) events.lasso?.(this.lasso(path));
        this.mark();
      },
      lassoing: () => this.lassoing,
      middle,
    };
  }
}

/** A tween under way: from where the view began to its goal, if it follows the points. */
interface Tween {
  milliseconds: number;
  eased: boolean;
  began: number | null;
  start: Look;
  goal: Look | null;
}
