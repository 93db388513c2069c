// Points on their way to new positions, and with them the view, if it shows all of them wherever they go.

import type { Points } from "./points";
import type { Look, View } from "./camera";

export interface Tween {
  milliseconds: number;
  /** Starts and ends gently; one that takes over from another does not, or a running job's points would falter. */
  eased: boolean;
  /** The time of its first frame. */
  began: number | null;
  /** From where the view began to its goal, if it follows the points. */
  start: Look;
  goal: Look | null;
}

/** Brings points and view to where they are at a time, and says whether they have arrived. */
export function advance(tween: Tween, points: Points, view: View, now: number): boolean {
  tween.began ??= now;
  const part = Math.min((now - tween.began) / tween.milliseconds, 1);
  points.progress = tween.eased ? part * part * (3 - 2 * part) : part;
  if (tween.goal) view.between(tween.start, tween.goal, points.progress);
  return part >= 1;
}
