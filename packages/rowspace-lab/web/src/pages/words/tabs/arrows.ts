// Two rows as arrows in their own plane: exact lengths and the exact angle between them.

export type Arrow = [x: number, y: number];

/** The ends of both arrows: a along the x axis, and b times `factor` at their angle. */
export function arrowsOf(norms: readonly [number, number], degrees: number, factor: number): [Arrow, Arrow] {
  const angle = (degrees * Math.PI) / 180;
  const length = norms[1] * factor;
  return [
    [norms[0], 0],
    [length * Math.cos(angle), length * Math.sin(angle)],
  ];
}
