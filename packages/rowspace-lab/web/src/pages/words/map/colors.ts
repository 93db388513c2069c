// Converts a value per row to a color per point and to a legend.

import { themeColor, mix, type Rgb } from "../../../charts/theme-colors";

export type Coloring = "count" | "norm" | "cluster";
export interface Scale {
  /** (count, 4): red, green, blue and weight. */
  rgba: Uint8Array;
  /** The values at both ends of the color ramp. */
  low: number;
  high: number;
}

const STEPS = 256;
const FAINTEST = 0.25; // keeps the rarest points visible
const SAMPLE = 20_000;

/** Class colors for clusters, else a color ramp, on a log scale for counts. Rows without a value are gray. */
export function colored(values: ArrayLike<number>, by: Coloring, element: Element): Scale {
  const missing = themeColor(element, "--line");
  if (by === "cluster") {
    const classes = Array.from({ length: 8 }, (_, at) => themeColor(element, `--class-${at + 1}`));
    return { rgba: paint(values, (value) => classes[value] ?? missing), low: 0, high: 0 };
  }
  const [low, high] = ends(values, by === "count");
  const scaled = by === "count" ? Math.log1p : (value: number) => value;
  const [from, range] = [scaled(low), scaled(high) - scaled(low) || 1];
  const ramp = rampOf(element);
  const step = (value: number) => Math.round((STEPS - 1) * Math.max(0, Math.min(1, (scaled(value) - from) / range)));
  return { rgba: paint(values, (value) => ramp[step(value)] ?? missing), low, high };
}

export function rampOf(element: Element): Rgb[] {
  const [rare, frequent] = [themeColor(element, "--rare"), themeColor(element, "--frequent")];
  return Array.from({ length: STEPS }, (_, at) => mix(rare, frequent, FAINTEST + ((1 - FAINTEST) * at) / (STEPS - 1)));
}

function paint(values: ArrayLike<number>, color: (value: number) => Rgb): Uint8Array {
  const rgba = new Uint8Array(4 * values.length).fill(255);
  for (let at = 0; at < values.length; at++) rgba.set(color(values[at] as number), 4 * at);
  return rgba;
}

/** The range of counts; for other values the 1st and 99th percentiles, so that outliers do not wash out the colors. */
function ends(values: ArrayLike<number>, whole: boolean): [number, number] {
  const every = whole ? 1 : Math.ceil(values.length / SAMPLE);
  const drawn = Float64Array.from(
    { length: Math.ceil(values.length / every) },
    (_, at) => values[at * every] as number,
  );
  const sorted = drawn.filter(Number.isFinite).sort();
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return whole ? [at(0), at(1)] : [at(0.01), at(0.99)];
}
