// Animation of the points to new positions, and of the camera, with them or alone; where points start at first.

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
  points.progress = tween.eased ? eased(part) : part;
  if (tween.goal) camera.interpolate(tween.start, tween.goal, points.progress);
  return part >= 1;
}

/** A move of the camera alone. */
export interface Flight {
  milliseconds: number;
  began: number | null;
  start: Viewport;
  goal: Viewport;
}

/** Move the camera to its state at time `now`; returns whether the flight has ended. */
export function fly(flight: Flight, camera: Camera, now: number): boolean {
  flight.began ??= now;
  const part = Math.min((now - flight.began) / flight.milliseconds, 1);
  camera.interpolate(flight.start, flight.goal, eased(part));
  return part >= 1;
}

/** Positions (count, 2) on the way from one map to another. */
export function between(from: Float32Array, to: Float32Array, share: number): Float32Array {
  return from.map((start, at) => start + (to[at]! - start) * share);
}

export const eased = (part: number): number => part * part * (3 - 2 * part);

const STRIDE = 7919; // a prime, so that neighboring ids start far apart

/** Each point at the position of another one: the picture keeps its outline while the points fly. */
export function shuffled(xy: Float32Array): Float32Array {
  const count = xy.length / 2;
  const start = new Float32Array(xy.length);
  for (let id = 0; id < count; id++) {
    const other = (id * STRIDE + (count >> 1)) % count;
    const finite = Number.isFinite(xy[2 * id]! + xy[2 * id + 1]! + xy[2 * other]! + xy[2 * other + 1]!);
    start[2 * id] = xy[2 * (finite ? other : id)]!;
    start[2 * id + 1] = xy[2 * (finite ? other : id) + 1]!;
  }
  return start;
}
