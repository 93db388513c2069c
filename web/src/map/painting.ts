// What stands on the canvas, and how a frame brings it up to date: the points, then what lies over them (overlay.ts).
//
// Three things call for a frame: the picture is stale and starts over; not all points are on it yet; or only what lies
// over them has changed. While the picture moves, as many points are drawn as the machine can in a frame (frames.ts), a
// fair sample of all; once it rests the others are added. Next: tween.ts, density.ts, backend.ts.

import { openBackend, type Backend, type BackendName } from "./backend";
import { penFor, strengthFor, type Pen } from "./density";
import { Frames } from "./frames";
import { Overlay } from "./overlay";
import type { Points } from "./points";
import { advance, type Tween } from "./tween";
import type { Look, View } from "./camera";

export class Painting {
  readonly backend: Backend;
  readonly overlay: Overlay;
  /** How many points stand on the picture now. */
  drawn = 0;
  tween: Tween | null = null;

  private canvas: HTMLCanvasElement;
  private points: Points;
  private view: View;
  private painted: () => void;
  private frames = new Frames(
    (now, budget) => this.frame(now, budget),
    () => this.stale,
  );
  private pen: Pen = { diameter: 1, strength: 1 };
  /** Device pixels in a CSS pixel. */
  private pixels = 1;
  private stale = true;
  /** Labels, rings or lasso have changed. */
  private marked = true;
  private waiting: (() => void)[] = [];

  /** `painted` is called after each frame that changed points or view. */
  constructor(canvas: HTMLCanvasElement, points: Points, view: View, wish: BackendName | "auto", painted: () => void) {
    this.canvas = canvas;
    this.points = points;
    this.view = view;
    this.painted = painted;
    this.backend = openBackend(canvas, wish, () => this.takeAll());
    this.overlay = new Overlay(canvas);
  }

  /** The canvas has a new size, or the screen other pixels. */
  resize(): void {
    const { canvas, view } = this;
    this.pixels = window.devicePixelRatio || 1;
    [view.width, view.height] = [canvas.clientWidth || 1, canvas.clientHeight || 1];
    canvas.width = Math.round(view.width * this.pixels);
    canvas.height = Math.round(view.height * this.pixels);
    this.backend.resize(canvas.width, canvas.height);
    this.overlay.resize(canvas.width, canvas.height, this.pixels);
    this.touch();
  }

  /** The points have new positions, and stand on them at once. */
  takeAll(): void {
    this.backend.takePositions(this.points);
    this.takeLooks();
  }

  /** The points have new positions, and move to them; the view moves to its goal, where it has one. */
  takeMove(milliseconds: number, goal: Look | null): void {
    this.backend.takePositions(this.points);
    this.tween = { milliseconds, eased: this.tween === null, began: null, start: this.view.look, goal };
    this.touch();
  }

  /** The points have new colors or sizes. */
  takeLooks(): void {
    this.backend.takeLooks(this.points);
    this.touch();
  }

  /** Asks for the picture again. */
  touch(): void {
    this.stale = true;
    this.frames.request();
  }

  /** Labels are chosen in another way, or look otherwise. */
  relabel(): void {
    this.overlay.place(this.points, this.view, false);
    this.mark();
  }

  /** Asks for what lies over the points again. */
  mark(): void {
    this.marked = true;
    this.frames.request();
  }

  /** Resolves when every point is drawn and nothing moves. */
  settled(): Promise<void> {
    this.frames.request();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  destroy(): void {
    this.frames.stop();
    this.overlay.remove();
    this.backend.destroy();
  }

  private frame(now: number, budget: number): boolean {
    const { points, view } = this;
    const fresh = this.stale;
    this.stale = false;
    if (fresh) this.begin(now);
    const before = this.drawn;
    if (fresh || before < points.count) this.addPoints(budget);
    const complete = this.drawn >= points.count && !this.tween;
    const labeled = fresh || (complete && before < points.count);
    if (labeled) this.overlay.place(points, view, !complete);
    if (labeled || this.marked) this.overlay.paint(points, view, this.pen.diameter);
    this.marked = false;
    if (fresh || before < this.drawn) this.painted();
    if (this.tween) this.stale = true;
    else if (complete) for (const done of this.waiting.splice(0)) done();
    return !complete;
  }

  private begin(now: number): void {
    if (this.tween && advance(this.tween, this.points, this.view, now)) this.tween = null;
    this.pen = penFor(this.points, this.view, this.pixels);
    this.backend.begin();
    this.drawn = 0;
  }

  private addPoints(budget: number): void {
    const { points, view, pixels, pen } = this;
    const last = Math.min(points.count, this.drawn + budget);
    const frame = { x: view.x, y: view.y, scale: view.scale * pixels, diameter: pen.diameter };
    this.backend.add(points, frame, this.drawn, last);
    this.drawn = last;
    this.backend.show(strengthFor(pen, last, points.count));
  }
}
