// The types of what is used of gifenc, which has none.
declare module "gifenc" {
  export type Palette = number[][];
  export interface Encoder {
    writeFrame(
      index: Uint8Array,
      width: number,
      height: number,
      options: { palette: Palette; delay: number; repeat?: number },
    ): void;
    finish(): void;
    bytes(): Uint8Array<ArrayBuffer>;
  }
  export function GIFEncoder(): Encoder;
  export function quantize(rgba: Uint8ClampedArray, colors: number, options?: { format: "rgb565" | "rgb444" }): Palette;
  export function applyPalette(rgba: Uint8ClampedArray, palette: Palette, format?: "rgb565" | "rgb444"): Uint8Array;
}
