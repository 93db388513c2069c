// The state of the page, and helpers for the chosen patch.

import { array, type Reply } from "../../api/reply";
import type { CutReply } from "../../api/types.generated";
import { addressState, choice, flag, number, picked, text, texts } from "../../state/address.svelte";

export const SHIPPED = ["china.jpg", "flower.jpg", "six-by-six"];
export const FIGURES = ["patch", "sequence", "filters", "tokens", "texts"] as const;
export const COLORS = ["rgb", "gray"] as const;
export const ORDERS = ["channels_first", "channels_last"] as const;
export const VALUES = ["unit", "signed", "bytes"] as const;

export const patchState = () =>
  addressState({
    picture: text("china.jpg"),
    file: text("picture.png"),
    height: number(224, 1, 512),
    width: number(224, 1, 512),
    patch: number(16, 1, 64),
    pad: flag(),
    color: choice(COLORS),
    order: choice(ORDERS),
    values: choice(VALUES),
    dim: number(64, 1, 1024),
    unit: number(0, 0, 1023),
    seed: number(0, 0, 2 ** 31 - 1),
    figure: choice(FIGURES),
    texts: texts(),
    at: picked(number(-1, -1, 2 ** 18)), // -1: the patch at the center
  });

export type PatchState = ReturnType<typeof patchState>;

const PHOTOGRAPH = { height: 224, width: 224, patch: 16, color: "rgb", values: "unit", at: -1 } as const;
const SMALL = { height: 6, width: 6, patch: 3, color: "gray", values: "bytes", at: 0 } as const;

/** Show one of the included pictures. */
export function show(page: PatchState, picture: string): void {
  Object.assign(page, picture === "six-by-six" ? SMALL : PHOTOGRAPH, { picture, file: "picture.png" });
}

/** Show an uploaded picture at 224 pixels for its longer side, both sides rounded to whole patches. */
export function showUpload(page: PatchState, picture: string, file: string, height: number, width: number): void {
  const side = (length: number) => 16 * Math.max(1, Math.round((length / Math.max(height, width)) * 14));
  Object.assign(page, PHOTOGRAPH, { picture, file, height: side(height), width: side(width) });
}

const MOST_NUMBERS = 2 ** 22; // in the vectors of all patches, as the server allows
const LARGEST_PATCH = 64; // pixels

/** Whether the server cuts a picture into patches of this size. */
function fits({ height, width, patch, pad, dim }: Cut): boolean {
  const divides = pad || (height % patch === 0 && width % patch === 0);
  return divides && Math.ceil(height / patch) * Math.ceil(width / patch) * dim <= MOST_NUMBERS;
}
type Cut = Pick<PatchState, "height" | "width" | "patch" | "pad" | "dim">;

/** The values of a setting with which the picture can be cut, in ascending order. */
export const fitting = (cut: Cut, name: "height" | "width" | "patch" | "dim", values: number[]): number[] =>
  values.filter((value) => fits({ ...cut, [name]: value }));

export const upTo = (most: number): number[] => Array.from({ length: most }, (_, at) => at + 1);

/** The patch sizes with which the picture can be cut. */
export const patchSizes = (cut: Cut): number[] => fitting(cut, "patch", upTo(LARGEST_PATCH));

/** The patch size of the URL, or the nearest one with which the picture can be cut. */
export function fittingPatch(cut: Cut): number {
  const away = (size: number) => Math.abs(size - cut.patch);
  return patchSizes(cut).reduce((best, size) => (away(size) < away(best) ? size : best), Infinity);
}

const CHANNELS = ["red", "green", "blue"];

/** The value of white: the numbers of the small picture go up to 9. */
export const whiteOf = ({ picture }: CutReply): number => (picture === "six-by-six" ? 9 : 255);

/** The channel, row and column of a number of the flat patch. */
export function placeOf(
  index: number,
  { patch, channels, order }: CutReply,
): [channel: string, row: number, column: number] {
  const area = patch * patch;
  const [channel, pixel] =
    order === "channels_first"
      ? [Math.floor(index / area), index % area]
      : [index % channels, Math.floor(index / channels)];
  return [channels === 1 ? "gray" : (CHANNELS[channel] ?? ""), Math.floor(pixel / patch), pixel % patch];
}

/** The bytes of the chosen patch. */
export function patchBytes(reply: Reply<CutReply>): Uint8Array {
  const { grid, patch, channels, at } = reply.meta;
  const [image, wide] = [array(reply, "image") as Uint8Array, grid[1] * patch * channels];
  const [top, left] = [Math.floor(at / grid[1]) * patch, (at % grid[1]) * patch * channels];
  const cut = new Uint8Array(patch * patch * channels);
  for (let row = 0; row < patch; row++) {
    const start = (top + row) * wide + left;
    cut.set(image.subarray(start, start + patch * channels), row * patch * channels);
  }
  return cut;
}
