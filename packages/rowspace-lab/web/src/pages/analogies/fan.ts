// Answers as they are ranked: each at its angle from the ray to b - a + c.

export interface Ray {
  /** The angle from the target in degrees, alternately above (positive) and below it. */
  degrees: number;
  x: number;
  y: number;
}

const DEGREES = 180 / Math.PI;

/** The angle of a cosine in degrees. */
export function angleOf(cosine: number): number {
  return Math.acos(Math.max(-1, Math.min(1, cosine))) * DEGREES;
}

/** Points on the arc with `radius` around `origin`: the target lies to the right, answers alternate around it. */
export function fan(cosines: readonly number[], origin: readonly [number, number], radius: number): Ray[] {
  return cosines.map((cosine, at) => {
    const degrees = angleOf(cosine) * (at % 2 ? -1 : 1);
    const [x, y] = [Math.cos(degrees / DEGREES), Math.sin(degrees / DEGREES)];
    return { degrees, x: origin[0] + radius * x, y: origin[1] - radius * y };
  });
}
