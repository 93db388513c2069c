// The types of what is used of gifenc, which has none.
declare module "gifenc" {
  export type Palette = number[][];
  export interface Frame {
    palette: Palette;
    /** In ms. */
    delay: number;
    transparent: boolean;
    transparentIndex: number;
    /** 1: the next frame is drawn on this one. */
    dispose: number;
  }
  export interface Encoder {
    writeFrame(index: Uint8Array, width: number, height: number, options: Frame): void;
    finish(): void;
    bytes(): Uint8Array<ArrayBuffer>;
  }
  export function GIFEncoder(): Encoder;
  export function quantize(rgba: Uint8ClampedArray, colors: number): Palette;
  export function applyPalette(rgba: Uint8ClampedArray, palette: Palette): Uint8Array;
}
