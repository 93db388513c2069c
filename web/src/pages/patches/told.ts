// Where the numbers of a patch are in a picture.

import type { CutReply } from "../../api/types.generated";
import { array, type Reply } from "../../lib/reply";

const CHANNELS = ["red", "green", "blue"];

/** The value that is drawn white: the lesson's numbers go up to 9. */
export const whiteOf = ({ picture }: CutReply): number => (picture === "lesson" ? 9 : 255);

/** Which channel, row and column of its patch a number of the vector is. */
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

/** The bytes of the patch that is chosen, cut out of the picture that is shown. */
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
