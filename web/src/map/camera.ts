// Where one looks: the straight map from data (y upwards) to the canvas (CSS pixels, y downwards) and back.
// Both axes share one scale, so distances on the screen are distances in the data. Next: points.ts.

export interface Look {
  /** The data point at the middle of the canvas. */
  x: number;
  y: number;
  /** CSS pixels for one unit of the data. */
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
/** The part of a side that the points still reach into, however far the picture is moved. */
const LEAST_SHOWN = 0.05;

export class View implements Look {
  x = 0;
  y = 0;
  scale = 1;
  width = 1;
  height = 1;
  private fitted = 1;
  private box: Box = { left: -Infinity, right: Infinity, bottom: -Infinity, top: Infinity };

  get look(): Look {
    return { x: this.x, y: this.y, scale: this.scale };
  }

  /** The look that shows the whole box, with a margin; a box without extent is shown at its place. */
  fitting(box: Box): Look {
    const across = box.right - box.left || box.top - box.bottom || 1;
    const up = box.top - box.bottom || across;
    const room = 1 - 2 * MARGIN;
    this.box = box;
    this.fitted = Math.min((this.width * room) / across, (this.height * room) / up);
    return { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2, scale: this.fitted };
  }

  /** Whether one can zoom in, and out. */
  get zooms(): { in: boolean; out: boolean } {
    return { in: this.scale < this.fitted * NEAREST, out: this.scale > this.fitted * FARTHEST };
  }

  /** Look there, but neither nearer nor farther than the ends of the zoom, nor past all of the last box. */
  set(look: Look): void {
    this.scale = Math.min(Math.max(look.scale, this.fitted * FARTHEST), this.fitted * NEAREST);
    const { left, right, bottom, top } = this.box;
    const reach = (0.5 - LEAST_SHOWN) / this.scale; // of the middle beyond the box, in parts of a side
    this.x = Math.min(Math.max(look.x, left - reach * this.width), right + reach * this.width);
    this.y = Math.min(Math.max(look.y, bottom - reach * this.height), top + reach * this.height);
  }

  /** Between two looks: the middle moves evenly, the scale by equal factors. */
  between(start: Look, end: Look, part: number): void {
    this.x = start.x + (end.x - start.x) * part;
    this.y = start.y + (end.y - start.y) * part;
    this.scale = start.scale * (end.scale / start.scale) ** part;
  }

  /** Moves the picture by so many CSS pixels. */
  pan(right: number, down: number): void {
    this.set({ x: this.x - right / this.scale, y: this.y + down / this.scale, scale: this.scale });
  }

  /** Zooms and leaves what is under (screenX, screenY) where it is. */
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
