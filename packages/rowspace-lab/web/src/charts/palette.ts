// Color scales for values.

import { themeColor, mix, type Rgb } from "./theme-colors";

export type Palette = (value: number) => Rgb;

/** Diverging from -limit to limit, with the surface color at zero; values are clamped, NaN is gray. */
export function signed(element: Element, limit: number): Palette {
  const [negative, zero, positive] = [
    themeColor(element, "--negative"),
    themeColor(element, "--zero"),
    themeColor(element, "--positive"),
  ];
  const steps = Array.from({ length: 511 }, (_, index) => {
    const share = (index - 255) / 255;
    return mix(zero, share < 0 ? negative : positive, Math.abs(share));
  });
  const missing = themeColor(element, "--line");
  return (value) => {
    if (Number.isNaN(value)) return missing;
    const share = limit > 0 ? Math.max(-1, Math.min(1, value / limit)) : 0;
    return steps[Math.round(share * 255) + 255] as Rgb;
  };
}

/** From rare to frequent on a log scale from 0 to limit (at least 1). */
export function counted(element: Element, limit: number): Palette {
  const [rare, frequent] = [themeColor(element, "--rare"), themeColor(element, "--frequent")];
  const top = Math.log1p(Math.max(1, limit));
  return (count) => mix(rare, frequent, Math.min(1, Math.log1p(Math.max(0, count)) / top));
}

/** A single hue, linear from low to high: for shares and probabilities. */
export function shaded(element: Element, low: number, high: number): Palette {
  const [paper, accent] = [themeColor(element, "--surface"), themeColor(element, "--accent")];
  return (value) => mix(paper, accent, high > low ? Math.max(0, Math.min(1, (value - low) / (high - low))) : 0);
}

/** The largest finite magnitude; 0 if there is none. */
export function largest(values: ArrayLike<number>): number {
  let found = 0;
  for (let index = 0; index < values.length; index++) {
    const size = Math.abs(values[index] as number);
    if (size > found && size < Infinity) found = size;
  }
  return found;
}
