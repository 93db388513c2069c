// Numbers as people read them.

const MINUS = "\u2212";

/** `value` to so many decimals, with a true minus; a dash where it is no number. */
export function decimal(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
  const shown = Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 10 ** -digits / 2);
  return (shown ? value.toExponential(digits - 1) : value.toFixed(digits)).replaceAll("-", MINUS);
}

/** A whole number with its thousands set apart. */
export function whole(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en").replace("-", MINUS);
}

/** Bytes in the largest unit that leaves a number above one. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, value)) / 10)));
  return `${(value / 1024 ** power).toFixed(power ? 1 : 0)} ${units[power]}`;
}

/** A share as a percentage. */
export function percent(share: number, digits = 1): string {
  return `${(100 * share).toFixed(digits)} %`;
}
