// Where the names in the figure stand: each beside its point, none over another.

import { HEIGHT, Space } from "../../map/labels";
import type { Point } from "./plane";

export interface Wanted {
  text: string;
  at: Point;
  /** Moved up or down until there is room; others are left out where there is none. */
  needed: boolean;
  /** 1: below the point, if there is room; -1: above it; 0 or none: beside it. */
  side?: number;
}
export interface Placed {
  text: string;
  left: number;
  y: number;
}

const STEP = 1.25 * HEIGHT;
const SAME = 3; // px: points so near to each other have one label
const LINES = [0, 1, -1, 2, -2, 3, -3, 4, -4];

/** The labels that have room, the first wanted first; `widthOf` gives the width of a text in pixels. */
export function placeLabels(
  wanted: readonly Wanted[],
  width: number,
  height: number,
  widthOf: (text: string) => number,
): Placed[] {
  const space = new Space(width, height);
  const placed: Placed[] = [];
  for (const { at } of wanted) space.take(...at, 0);
  for (const { text, at, needed, side = 0 } of joined(wanted)) {
    const wide = widthOf(text);
    for (const line of needed ? LINES : LINES.slice(0, 3)) {
      const y = at[1] + (side + line) * STEP;
      const left = space.free(at[0], y, wide) ?? (needed ? space.free(at[0] - wide / 2, y, wide) : null);
      if (left === null) continue;
      space.take(left, y, wide);
      placed.push({ text, left, y });
      break;
    }
  }
  return placed;
}

/** Needed labels of points at the same place become one: `king = king`. */
function joined(wanted: readonly Wanted[]): Wanted[] {
  const kept: Wanted[] = [];
  for (const each of wanted) {
    const near = ({ at: [x, y] }: Wanted) => Math.abs(x - each.at[0]) < SAME && Math.abs(y - each.at[1]) < SAME;
    const same = kept.findIndex((other) => other.needed && each.needed && near(other));
    if (same < 0) kept.push(each);
    else kept[same] = { ...kept[same]!, text: `${kept[same]!.text} = ${each.text}` };
  }
  return kept;
}
