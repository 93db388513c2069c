// The state of the page: which picture, how it is cut, how its patches are projected, and which of them is chosen.

import { addressState, choice, flag, number, picked, text } from "../../state/address.svelte";

export const SHIPPED = ["china.jpg", "flower.jpg", "lesson"];
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
    at: picked(number(-1, -1, 2 ** 18)), // the middle, until a patch is chosen
  });

export type PatchState = ReturnType<typeof patchState>;

const PHOTOGRAPH = { height: 224, width: 224, patch: 16, color: "rgb", values: "unit", at: -1 } as const;
const LESSON = { height: 6, width: 6, patch: 3, color: "gray", values: "bytes", at: 0 } as const;

/** Turn to one of the pictures that are always there. */
export function show(page: PatchState, picture: string): void {
  Object.assign(page, picture === "lesson" ? LESSON : PHOTOGRAPH, { picture, file: "picture.png" });
}

/** Turn to the whole of a picture that was sent, its longer side 224 pixels, both sides a number of whole patches. */
export function showSent(page: PatchState, picture: string, file: string, height: number, width: number): void {
  const side = (length: number) => 16 * Math.max(1, Math.round((length / Math.max(height, width)) * 14));
  Object.assign(page, PHOTOGRAPH, { picture, file, height: side(height), width: side(width) });
}
