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
const FARTHEST = 1 / 8;
const NEAREST = 1000;

export class View implements Look {
  x = 0;
  y = 0;
  scale = 1;
  width = 1;
  height = 1;
  private fitted = 1;

  get look(): Look {
    return { x: this.x, y: this.y, scale: this.scale };
  }

  /** The look that shows the whole box, with a margin; a box without extent is shown at its place. */
  fitting(box: Box): Look {
    const across = box.right - box.left || box.top - box.bottom || 1;
    const up = box.top - box.bottom || across;
    const room = 1 - 2 * MARGIN;
    this.fitted = Math.min((this.width * room) / across, (this.height * room) / up);
    return { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2, scale: this.fitted };
  }

  set(look: Look): void {
    this.x = look.x;
    this.y = look.y;
    this.scale = Math.min(Math.max(look.scale, this.fitted * FARTHEST), this.fitted * NEAREST);
  }

  /** Between two looks: the middle moves evenly, the scale by equal factors. */
  between(start: Look, end: Look, part: number): void {
    this.x = start.x + (end.x - start.x) * part;
    this.y = start.y + (end.y - start.y) * part;
    this.scale = start.scale * (end.scale / start.scale) ** part;
  }

  /** Moves the picture by so many CSS pixels. */
  pan(right: number, down: number): void {
    this.x -= right / this.scale;
    this.y += down / this.scale;
  }

  /** Zooms and leaves what is under (screenX, screenY) where it is. */
  zoom(factor: number, screenX: number, screenY: number): void {
    const [x, y] = this.toData(screenX, screenY);
    this.set({ x: this.x, y: this.y, scale: this.scale * factor });
    const [movedX, movedY] = this.toData(screenX, screenY);
    this.x += x - movedX;
    this.y += y - movedY;
  }

  toScreen(x: number, y: number): [number, number] {
    return [(x - this.x) * this.scale + this.width / 2, (this.y - y) * this.scale + this.height / 2];
  }

  toData(screenX: number, screenY: number): [number, number] {
    return [this.x + (screenX - this.width / 2) / this.scale, this.y - (screenY - this.height / 2) / this.scale];
  }
}
