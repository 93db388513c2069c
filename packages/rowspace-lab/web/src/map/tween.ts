// Animation of the points to new positions, and of the camera if it follows them.

import type { Points } from "./points";
import type { Viewport, Camera } from "./camera";

export interface Tween {
  milliseconds: number;
  /** Eased in and out; false if it replaces a running tween, so that the frames of a job move evenly. */
  eased: boolean;
  /** Time of the first frame. */
  began: number | null;
  /** The camera's first viewport, and its last if it follows the points. */
  start: Viewport;
  goal: Viewport | null;
}

/** Move points and camera to their state at time `now`; returns whether the tween has ended. */
export function advance(tween: Tween, points: Points, camera: Camera, now: number): boolean {
  tween.began ??= now;
  const part = Math.min((now - tween.began) / tween.milliseconds, 1);
  points.progress = tween.eased ? part * part * (3 - 2 * part) : part;
  if (tween.goal) camera.interpolate(tween.start, tween.goal, points.progress);
  return part >= 1;
}
