// Draws the points, and the overlay above them, frame by frame.
//
// A frame is needed when the picture is stale, when some points are not drawn yet, or when only the overlay has changed.
// While the picture moves, each frame draws a sample of as many points as its budget allows (frames.ts); the remaining
// points are added when it rests.

import type { Backend, BackendName } from "./backend";
import { penFor, strengthFor, type Pen } from "./density";
import { Frames } from "./frames";
import { Overlay } from "./overlay";
import type { Points } from "./points";
import { openRaster } from "./raster";
import { advance, fly, type Flight, type Tween } from "./tween";
import { isWebGLUsable, openWebGL } from "./webgl";
import type { Viewport, Camera } from "./camera";

export class Painting {
  readonly backend: Backend;
  readonly overlay: Overlay;
  /** The number of points drawn so far. */
  drawn = 0;
  tween: Tween | null = null;
  flight: Flight | null = null;

  private canvas: HTMLCanvasElement;
  private points: Points;
  private camera: Camera;
  private onframe: () => void;
  private frames = new Frames(
    (now, budget) => this.frame(now, budget),
    () => this.stale,
  );
  private pen: Pen = { diameter: 1, strength: 1 };
  /** Device pixels per CSS pixel. */
  private pixels = 1;
  private stale = true;
  /** Whether labels, rings or lasso have changed. */
  private overlayStale = true;
  private waiting: (() => void)[] = [];
  /** A font loads when a label first uses it, and until then the label is drawn in another one. */
  private relabelInFonts = () => this.relabel();

  /** `onframe` is called after each frame that changed points or viewport. */
  constructor(
    canvas: HTMLCanvasElement,
    points: Points,
    camera: Camera,
    preferred: BackendName | "auto",
    onframe: () => void,
  ) {
    this.canvas = canvas;
    this.points = points;
    this.camera = camera;
    this.onframe = onframe;
    this.backend = openBackend(canvas, preferred, () => this.uploadPoints());
    this.overlay = new Overlay(canvas);
    document.fonts.addEventListener("loadingdone", this.relabelInFonts);
  }

  /** Call when the size of the canvas or the pixel ratio has changed; `least` pixels are drawn per CSS pixel. */
  resize(least: number): void {
    const { canvas, camera } = this;
    this.pixels = Math.max(least, window.devicePixelRatio || 1);
    [camera.width, camera.height] = [canvas.clientWidth || 1, canvas.clientHeight || 1];
    canvas.width = Math.round(camera.width * this.pixels);
    canvas.height = Math.round(camera.height * this.pixels);
    this.backend.resize(canvas.width, canvas.height);
    this.overlay.resize(canvas.width, canvas.height, this.pixels);
    this.invalidate();
  }

  /** Upload positions and appearance after the points have changed. */
  uploadPoints(): void {
    this.backend.uploadPositions(this.points);
    this.uploadAppearance();
  }

  /** Upload new positions and animate the points to them, and the camera to its goal if it has one. */
  startMove(milliseconds: number, goal: Viewport | null): void {
    this.backend.uploadPositions(this.points);
    this.tween = { milliseconds, eased: this.tween === null, began: null, start: this.camera.viewport, goal };
    this.invalidate();
  }

  /** Upload colors and sizes. */
  uploadAppearance(): void {
    this.backend.uploadAppearance(this.points);
    this.invalidate();
  }

  /** Request a new picture. */
  invalidate(): void {
    this.stale = true;
    this.frames.request();
  }

  /** Choose the labels again. */
  relabel(): void {
    this.overlay.place(this.points, this.camera, false);
    this.invalidateOverlay();
  }

  /** Request a redraw of the overlay only. */
  invalidateOverlay(): void {
    this.overlayStale = true;
    this.frames.request();
  }

  /** Resolves when all points are drawn and at rest. */
  settled(): Promise<void> {
    this.frames.request();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  destroy(): void {
    document.fonts.removeEventListener("loadingdone", this.relabelInFonts);
    this.frames.stop();
    this.overlay.remove();
    this.backend.destroy();
  }

  private frame(now: number, budget: number): boolean {
    const { points, camera } = this;
    const fresh = this.stale;
    this.stale = false;
    if (fresh) this.begin(now);
    const before = this.drawn;
    if (fresh || before < points.count) this.addPoints(budget);
    const complete = this.drawn >= points.count && !this.tween && !this.flight;
    const labeled = fresh || (complete && before < points.count);
    if (labeled) this.overlay.place(points, camera, !complete);
    if (labeled || this.overlayStale) this.overlay.paint(points, camera, this.pen.diameter);
    this.overlayStale = false;
    if (fresh || before < this.drawn) this.onframe();
    if (this.tween || this.flight) this.stale = true;
    else if (complete) for (const done of this.waiting.splice(0)) done();
    return !complete;
  }

  private begin(now: number): void {
    if (this.tween && advance(this.tween, this.points, this.camera, now)) this.tween = null;
    if (this.flight && fly(this.flight, this.camera, now)) this.flight = null;
    this.pen = penFor(this.points, this.camera, this.pixels);
    this.backend.begin();
    this.drawn = 0;
  }

  private addPoints(budget: number): void {
    const { points, camera, pixels, pen } = this;
    const last = Math.min(points.count, this.drawn + budget);
    const frame = { x: camera.x, y: camera.y, scale: camera.scale * pixels, diameter: pen.diameter };
    this.backend.add(points, frame, this.drawn, last);
    this.drawn = last;
    this.backend.show(strengthFor(pen, last, points.count));
  }
}

/** `restored` is called when a lost graphics context is back and needs all data again. */
function openBackend(canvas: HTMLCanvasElement, preferred: BackendName | "auto", restored: () => void): Backend {
  const webgl = preferred === "webgl2" || (preferred === "auto" && isWebGLUsable());
  return webgl ? openWebGL(canvas, restored) : openRaster(canvas);
}
