// Places the labels of the figure next to their points without overlap.

import { HEIGHT, Space } from "../../map/labels";
import type { Point } from "../../charts/scales";

export interface Wanted {
  text: string;
  at: Point;
  /** Moved up or down until there is space; other labels without space are omitted. */
  needed: boolean;
  /** Preferred side: 1 below the point, -1 above, 0 next to it (default). */
  side?: number;
  /** The radius of what is drawn over the point, where no label may be, in px. */
  radius?: number;
}
export interface Placed {
  text: string;
  left: number;
  y: number;
}

const STEP = 1.25 * HEIGHT;
const SAME = 3; // px; closer points share a label
const LINES = [0, 1, -1, 2, -2, 3, -3, 4, -4];

/** Place labels in order of priority; `widthOf` measures a text in pixels. */
export function placeLabels(
  wanted: readonly Wanted[],
  width: number,
  height: number,
  widthOf: (text: string) => number,
): Placed[] {
  const space = new Space(width, height);
  const placed: Placed[] = [];
  for (const { at, radius = 0 } of wanted) space.take(at[0] - radius, at[1], 2 * radius);
  for (const { text, at, needed, side = 0, radius = 0 } of joinLabels(wanted)) {
    const wide = widthOf(text);
    for (const line of needed ? LINES : LINES.slice(0, 3)) {
      const y = at[1] + (side < 0 ? side - line : side + line) * STEP; // first farther to its side
      const beside = radius ? null : space.free(at[0], y, wide);
      const left = beside ?? (needed ? space.free(at[0] - wide / 2, y, wide) : null);
      if (left === null) continue;
      space.take(left, y, wide);
      placed.push({ text, left, y });
      break;
    }
  }
  return placed;
}

/** Join needed labels at the same position: `king = king`. */
function joinLabels(wanted: readonly Wanted[]): Wanted[] {
  const kept: Wanted[] = [];
  for (const each of wanted) {
    const near = ({ at: [x, y] }: Wanted) => Math.abs(x - each.at[0]) < SAME && Math.abs(y - each.at[1]) < SAME;
    const same = kept.findIndex((other) => other.needed && each.needed && near(other));
    if (same < 0) kept.push(each);
    else kept[same] = { ...kept[same]!, text: `${kept[same]!.text} = ${each.text}` };
  }
  return kept;
}
