// Draws an image whose pixels are squares of the canvas.

export interface Pixels {
  /** (rows, columns, channels), 0 to 255; one channel is gray, three are red, green, blue. */
  image: ArrayLike<number>;
  rows: number;
  columns: number;
  channels: number;
  /** The value of white, 255 by default. */
  white?: number;
  /** Write the values of gray pixels, if there is space (default). */
  written?: boolean;
}

/** Draw the image on the whole canvas, without smoothing if it is enlarged. */
export function drawPixels(context: CanvasRenderingContext2D, canvas: HTMLCanvasElement, pixels: Pixels): void {
  const { rows, columns } = pixels;
  const small = new OffscreenCanvas(columns, rows);
  small.getContext("2d")?.putImageData(imageOf(pixels), 0, 0);
  context.imageSmoothingEnabled = canvas.clientWidth < columns;
  context.drawImage(small, 0, 0, canvas.clientWidth, canvas.clientHeight);
  if (pixels.channels === 1 && pixels.written !== false) writeValues(context, canvas, pixels);
}

/** Write its value into each gray pixel, if there is space. */
function writeValues(context: CanvasRenderingContext2D, canvas: HTMLCanvasElement, pixels: Pixels): void {
  const { image, rows, columns, white = 255 } = pixels;
  const [high, wide] = [canvas.clientHeight / rows, canvas.clientWidth / columns];
  if (Math.min(high, wide) < 22) return;
  context.font = `${Math.min(18, high / 2.2)}px ${getComputedStyle(canvas).getPropertyValue("--number")}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let pixel = 0; pixel < rows * columns; pixel++) {
    const value = image[pixel] as number;
    context.fillStyle = value > white / 2 ? "#000" : "#fff";
    context.fillText(String(value), ((pixel % columns) + 0.5) * wide, (Math.floor(pixel / columns) + 0.5) * high);
  }
}

function imageOf({ image, rows, columns, channels, white = 255 }: Pixels): ImageData {
  const data = new ImageData(columns, rows);
  for (let pixel = 0; pixel < rows * columns; pixel++) {
    for (let channel = 0; channel < 3; channel++)
      data.data[pixel * 4 + channel] =
        ((image[pixel * channels + Math.min(channel, channels - 1)] as number) * 255) / white;
    data.data[pixel * 4 + 3] = 255;
  }
  return data;
}
