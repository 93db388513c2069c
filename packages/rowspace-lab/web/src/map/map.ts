// A map of up to a million points that can be moved, picked and labeled on a canvas, with or without a GPU. Points have
// ids, colors and texts; the map knows nothing about tables or pages.
//
// This file is its public interface. The parent of the canvas must be positioned. The other modules:
//   points.ts       positions, colors and sizes of the points, in the order of order.ts
//   camera.ts       the visible part of the data
//   painting.ts     what a frame draws: all points, or a sample while they move
//     frames.ts     schedules frames and their budget of points
//     tween.ts      moves points to new positions
//     density.ts    size and opacity of the points
//     backend.ts    draws points: webgl.ts with shaders.ts, or raster.ts
//     overlay.ts    labels (labels.ts), rings, lasso
//   point-index.ts  finds the points under the pointer or inside the lasso
//   gestures.ts     pointer, wheel and keys

import type { BackendName } from "./backend";
import { listen, type GestureHandlers } from "./gestures";
import type { Label } from "./labels";
import { PointIndex } from "./point-index";
import type { Region, Theme } from "./overlay";
import { Painting } from "./painting";
import { Points } from "./points";
import { Camera, type Viewport } from "./camera";

export type { BackendName, Region, Viewport, Theme };

export interface MapEvents {
  /** The point under the pointer, or null. */
  hover?(id: number | null): void;
  click?(id: number | null): void;
  /** Ascending ids inside the lasso, and its corners in data coordinates; both empty if it was canceled. */
  lasso?(ids: Uint32Array, polygon: [number, number][]): void;
  /** Called after each frame; `drawn` of `count` points are drawn. */
  frame?(viewport: Viewport, drawn: number, count: number): void;
  /** A finger or the wheel scrolled the page instead of moving the map. */
  scrolled?(by: "finger" | "wheel"): void;
}

export interface MapOptions {
  backend?: BackendName | "auto";
  on?: MapEvents;
}

const PICK_RADIUS = 10; // px
const ROOM = 1.6; // around the nearer half of the points that are flown to

export function createMap(canvas: HTMLCanvasElement, options: MapOptions = {}): MapRenderer {
  return new MapRenderer(canvas, options);
}

export class MapRenderer {
  /** Whether dragging draws a lasso instead of moving the map. */
  lassoing = false;
  /** Whether the camera keeps all points in view; true until the user moves the map. */
  follows = true;

  private leastPixels = 1;
  private points = new Points();
  private camera = new Camera();
  private index = new PointIndex(this.points);
  private painting: Painting;
  private events: MapEvents;
  private resized: ResizeObserver;
  private stopListening: () => void;

  constructor(canvas: HTMLCanvasElement, options: MapOptions) {
    this.events = options.on ?? {};
    const onframe = () => this.events.frame?.(this.viewport, this.drawn, this.count);
    this.painting = new Painting(canvas, this.points, this.camera, options.backend ?? "auto", onframe);
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(canvas);
    this.stopListening = listen(canvas, this.handlers());
    this.resize();
  }

  get backendName(): BackendName {
    return this.painting.backend.name;
  }

  get count(): number {
    return this.points.count;
  }

  /** The number of points drawn so far. */
  get drawn(): number {
    return this.painting.drawn;
  }

  /** The number of points without a finite position, which are not drawn. */
  get missing(): number {
    return this.points.missing;
  }

  /** xy: (count, 2) by id. */
  setPoints(xy: Float32Array): void {
    this.painting.tween = null;
    this.points.set(xy);
    this.index.reset();
    this.painting.uploadPoints();
    this.keepViewport();
  }

  /** Animate all points from their current positions to xy. */
  moveTo(xy: Float32Array, milliseconds: number): void {
    if (milliseconds <= 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) return this.setPoints(xy);
    this.points.moveTo(xy);
    this.index.reset();
    const all = this.camera.fitting(this.points.box);
    this.painting.startMove(milliseconds, this.follows ? all : null);
  }

  /** rgba: (count, 4), or (count,) indices into a palette of (k, 4). */
  setColors(rgba: Uint8Array, palette?: Uint8Array): void {
    this.points.setColors(rgba, palette);
    this.painting.uploadAppearance();
  }

  /** (count,) sizes relative to the default, or null. */
  setSizes(sizes: Float32Array | null): void {
    this.points.setSizes(sizes);
    this.painting.uploadAppearance();
  }

  /** Make all other points faint; null ends the emphasis. */
  setEmphasis(ids: ArrayLike<number> | null): void {
    this.points.setEmphasis(ids);
    this.painting.uploadAppearance();
  }

  /** Draw rings around these ids, with labels that are always shown. */
  setHighlights(ids: ArrayLike<number>, labels: readonly string[] = []): void {
    this.painting.overlay.highlights = new Map(Array.from(ids, (id, k) => [id, labels[k] ?? ""]));
    this.painting.relabel();
  }

  /** Draw thin lines between two points in data coordinates: x, y, x, y each. */
  setLinks(links: Float32Array): void {
    this.painting.overlay.links = links;
    this.painting.invalidateOverlay();
  }

  /** Draw lines in data coordinates, (n, 2) each. */
  setPaths(paths: readonly Float32Array[]): void {
    this.painting.overlay.paths = paths;
    this.painting.invalidateOverlay();
  }

  /** The text of an id, and the ids by priority of their labels (by default 0, 1, 2 …). */
  setLabels(textOf: ((id: number) => string) | null, order: Uint32Array | null = null): void {
    this.painting.overlay.textOf = textOf;
    this.painting.overlay.order = order;
    this.painting.relabel();
  }

  /** What is named while the map is seen from far: only these ids, and regions; null: the same ids as from near. */
  setFarLabels(order: Uint32Array | null, regions: readonly Region[] = []): void {
    this.painting.overlay.farOrder = order;
    this.painting.overlay.regions = regions;
    this.painting.relabel();
  }

  setTheme(theme: Theme): void {
    this.painting.overlay.theme = theme;
    this.painting.relabel();
  }

  /** Whether zooming in and out is possible. */
  get zooms(): { in: boolean; out: boolean } {
    return this.camera.zooms;
  }

  get viewport(): Viewport {
    return this.camera.viewport;
  }

  set viewport(viewport: Viewport) {
    this.stopFollowing();
    this.camera.set(viewport);
    this.painting.invalidate();
  }

  /** Show all points, also when they move. */
  fit(): void {
    this.follows = true;
    this.painting.flight = null;
    this.showAll();
    const { tween } = this.painting;
    if (tween) tween.start = tween.goal = this.viewport;
    this.painting.invalidate();
  }

  /** Move the camera to a point with most of the others around it. Points without a position are ignored. */
  flyTo([first, ...others]: readonly number[], milliseconds: number): void {
    const place = first === undefined ? null : this.points.goalOf(first);
    if (!place) return;
    const goals = others.map((id) => this.points.goalOf(id)).filter((goal) => goal !== null);
    const distances = goals.map(([x, y]) => Math.hypot(x - place[0], y - place[1])).sort((a, b) => a - b);
    this.camera.fitting(this.points.box);
    const goal = this.camera.around(...place, ROOM * (distances[distances.length >> 1] ?? 0));
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.viewport = goal;
      return;
    }
    this.stopFollowing();
    this.painting.flight = { milliseconds, began: null, start: this.viewport, goal };
    this.painting.invalidate();
  }

  /** Whether some point is in view, or there is none at all. */
  get hasPointInView(): boolean {
    return this.points.count === this.points.missing || this.points.someIn(this.camera.shown);
  }

  /** Zoom around the center. */
  zoom(factor: number): void {
    this.handlers().zoom(factor, this.camera.width / 2, this.camera.height / 2);
  }

  /** The id of the nearest point within 10 pixels of a position (CSS pixels), or null. */
  pick(x: number, y: number): number | null {
    return this.index.pick(...this.camera.toData(x, y), PICK_RADIUS / this.camera.scale);
  }

  /** The ids inside a polygon on the canvas (CSS pixels). */
  lasso(polygon: readonly [number, number][]): Uint32Array {
    return this.index.inside(polygon.map(([x, y]) => this.camera.toData(x, y)));
  }

  /** The position of a point on the canvas (CSS pixels), or null if it is not drawn. */
  placeOf(id: number): [number, number] | null {
    const slot = this.points.order.slotOf(id);
    return this.points.isDrawn(id) ? this.camera.toScreen(this.points.xOf(slot), this.points.yOf(slot)) : null;
  }

  /** The labels shown now. */
  get labels(): readonly Label[] {
    return this.painting.overlay.labels;
  }

  /** Resolves when all points are drawn and at rest. */
  settled(): Promise<void> {
    return this.painting.settled();
  }

  /** Draw at least this number of pixels for each pixel of CSS. */
  resize(leastPixels = this.leastPixels): void {
    this.leastPixels = leastPixels;
    this.painting.resize(leastPixels);
    this.keepViewport();
  }

  /** Request a frame; not needed after changes made through this class. */
  draw(): void {
    this.painting.invalidate();
  }

  destroy(): void {
    this.resized.disconnect();
    this.stopListening();
    this.painting.destroy();
  }

  /** Keep the camera where the user has moved it, while the points may still move. */
  private stopFollowing(): void {
    this.follows = false;
    this.painting.flight = null;
    if (this.painting.tween) this.painting.tween.goal = null;
  }

  private showAll(): void {
    this.camera.set(this.camera.fitting(this.points.box));
  }

  /** After a change of points or canvas: show all points, or keep the viewport within its new limits. */
  private keepViewport(): void {
    const all = this.camera.fitting(this.points.box);
    this.camera.set(this.follows ? all : this.viewport);
  }

  private hover(id: number | null, byKey: boolean): void {
    const { overlay } = this.painting;
    overlay.middle = byKey;
    if (id !== overlay.hovered) this.events.hover?.(id);
    overlay.hovered = id;
    this.painting.invalidateOverlay();
  }

  private handlers(): GestureHandlers {
    const { camera, painting, events } = this;
    const moved = () => {
      this.stopFollowing();
      painting.invalidate();
    };
    return {
      pan: (right, down) => (camera.pan(right, down), moved()),
      zoom: (factor, x, y) => (camera.zoom(factor, x, y), moved()),
      fit: () => this.fit(),
      hover: (place, byKey) => this.hover(place && this.pick(...place), byKey),
      click: (x, y) => events.click?.(this.pick(x, y)),
      lasso: (path, complete) => {
        painting.overlay.lasso = complete ? [] : path;
        if (complete) {
          const polygon = path.map(([x, y]) => this.camera.toData(x, y));
          events.lasso?.(this.index.inside(polygon), polygon);
        }
        painting.invalidateOverlay();
      },
      lassoing: () => this.lassoing,
      scrolled: (by) => events.scrolled?.(by),
      middle: () => [camera.width / 2, camera.height / 2],
    };
  }
}
