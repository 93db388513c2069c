// Writes frames as a GIF. A frame has only the pixels that differ from the frame before, which keeps the file small and
// leaves more of its 256 colors for what moves.

import { applyPalette, GIFEncoder, quantize, type Palette } from "gifenc";

const COLORS = 255; // and the transparent one
const EXACT = 32; // the most frequent colors, such as those of backgrounds, are not mixed with others

export class Gif {
  private encoder = GIFEncoder();
  private before: Uint32Array | null = null;

  /** Add a frame, of the same size as the others, that is shown for this time in ms. */
  add({ data, width, height }: ImageData, delay: number): void {
    const pixels = new Uint32Array(data.buffer);
    const { before } = this;
    const changed = before ? pixels.filter((pixel, at) => pixel !== before[at]) : pixels;
    const { palette, exact } = colorsOf(changed);
    const indices = applyPalette(data, palette);
    const transparentIndex = palette.push([0, 0, 0]) - 1;
    pixels.forEach((pixel, at) => {
      indices[at] = pixel === before?.[at] ? transparentIndex : (exact.get(pixel) ?? indices[at]!);
    });
    this.encoder.writeFrame(indices, width, height, {
      palette,
      delay,
      transparent: true,
      transparentIndex,
      dispose: 1,
    });
    this.before = pixels;
  }

  /** The file, which shows its frames again and again. */
  file(): Blob {
    this.encoder.finish();
    return new Blob([this.encoder.bytes()], { type: "image/gif" });
  }
}

/** The colors for pixels of four bytes each, and the places of those that are exact. */
function colorsOf(pixels: Uint32Array<ArrayBuffer>): { palette: Palette; exact: Map<number, number> } {
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const sorted = [...counts.keys()].sort((one, other) => counts.get(other)! - counts.get(one)!);
  const kept = sorted.slice(0, sorted.length > COLORS ? EXACT : COLORS);
  const palette = kept.map((pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]);
  if (kept.length < sorted.length)
    palette.push(...quantize(new Uint8ClampedArray(pixels.buffer), COLORS - kept.length));
  return { palette, exact: new Map(kept.map((pixel, at) => [pixel, at])) };
}
