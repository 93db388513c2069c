// The visible part of the data: converts data coordinates (y up) to canvas coordinates (CSS pixels, y down) and back.
// Both axes share one scale.

export interface Viewport {
  /** The data coordinates at the center of the canvas. */
  x: number;
  y: number;
  /** CSS pixels per unit of the data. */
  scale: number;
}

export interface Box {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

const MARGIN = 0.06;
const FARTHEST = 1 / 4;
const NEAREST = 1000;
/** Below this zoom the map counts as seen from far. */
const FAR = 1.5;
/** The fraction of the canvas that the points' box always covers, however far it is panned. */
const LEAST_SHOWN = 0.05;

export class Camera implements Viewport {
  x = 0;
  y = 0;
  scale = 1;
  width = 1;
  height = 1;
  private fitted = 1;
  private box: Box = { left: -Infinity, right: Infinity, bottom: -Infinity, top: Infinity };

  get viewport(): Viewport {
    return { x: this.x, y: this.y, scale: this.scale };
  }

  /** The viewport that shows the whole box with a margin; the box may have no extent. */
  fitting(box: Box): Viewport {
    const across = box.right - box.left || box.top - box.bottom || 1;
    const up = box.top - box.bottom || across;
    const room = 1 - 2 * MARGIN;
    this.box = box;
    this.fitted = Math.min((this.width * room) / across, (this.height * room) / up);
    return { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2, scale: this.fitted };
  }

  /** The part of the data that is visible. */
  get shown(): Box {
    const [across, up] = [this.width / 2 / this.scale, this.height / 2 / this.scale];
    return { left: this.x - across, right: this.x + across, bottom: this.y - up, top: this.y + up };
  }

  /** The viewport around a point that shows a radius of the data, between half of all points and a small part. */
  around(x: number, y: number, radius: number): Viewport {
    const scale = Math.min(this.width, this.height) / (2 * radius || 1);
    return { x, y, scale: Math.min(Math.max(scale, 1.5 * this.fitted), 8 * this.fitted) };
  }

  /** Whether zooming in and out is possible. */
  get zooms(): { in: boolean; out: boolean } {
    return { in: this.scale < this.fitted * NEAREST, out: this.scale > this.fitted * FARTHEST };
  }

  /** Whether all points, or nearly all, are visible. */
  get isFar(): boolean {
    return this.scale < this.fitted * FAR;
  }

  /** Show a viewport, within the limits of zoom and panning. */
  set(viewport: Viewport): void {
    this.scale = Math.min(Math.max(viewport.scale, this.fitted * FARTHEST), this.fitted * NEAREST);
    const { left, right, bottom, top } = this.box;
    const reach = (0.5 - LEAST_SHOWN) / this.scale; // how far the center may leave the box, as a fraction of the canvas
    this.x = Math.min(Math.max(viewport.x, left - reach * this.width), right + reach * this.width);
    this.y = Math.min(Math.max(viewport.y, bottom - reach * this.height), top + reach * this.height);
  }

  /** Interpolate two viewports: the center linearly, the scale geometrically. */
  interpolate(start: Viewport, end: Viewport, part: number): void {
    this.x = start.x + (end.x - start.x) * part;
    this.y = start.y + (end.y - start.y) * part;
    this.scale = start.scale * (end.scale / start.scale) ** part;
  }

  /** Move the picture, in CSS pixels. */
  pan(right: number, down: number): void {
    this.set({ x: this.x - right / this.scale, y: this.y + down / this.scale, scale: this.scale });
  }

  /** Zoom around a point of the canvas. */
  zoom(factor: number, screenX: number, screenY: number): void {
    const [x, y] = this.toData(screenX, screenY);
    this.set({ x: this.x, y: this.y, scale: this.scale * factor });
    const [movedX, movedY] = this.toData(screenX, screenY);
    this.set({ x: this.x + x - movedX, y: this.y + y - movedY, scale: this.scale });
  }

  toScreen(x: number, y: number): [number, number] {
    return [(x - this.x) * this.scale + this.width / 2, (this.y - y) * this.scale + this.height / 2];
  }

  toData(screenX: number, screenY: number): [number, number] {
    return [this.x + (screenX - this.width / 2) / this.scale, this.y - (screenY - this.height / 2) / this.scale];
  }
}
