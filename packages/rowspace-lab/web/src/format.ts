// Numbers and tokens as text.

import { shownToken } from "./shown-tokens";

const MINUS = "\u2212";

/** A number with a fixed number of decimals and a true minus sign; a dash if it is missing. */
export function decimal(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
  if (digits === 0 && Math.abs(value) < 0.5) return "0";
  const power = Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 10 ** -digits / 2);
  return (power ? value.toExponential(Math.max(0, digits - 1)) : value.toFixed(digits)).replaceAll("-", MINUS);
}

/** An integer with thousands separators. */
export function whole(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en").replace("-", MINUS);
}

/** Bytes in the largest unit with a value of at least one. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, value)) / 10)));
  return `${(value / 1024 ** power).toFixed(power ? 1 : 0)} ${units[power]}`;
}

/** A fraction as a percentage. */
export function percent(share: number, digits = 1): string {
  return `${(100 * share).toFixed(digits)} %`;
}

/** A large number in a few characters, with the letters that sizes of models are written with: 124 M, 7 B. */
export function compact(value: number): string {
  const [number, unit] = scaled(value, ["", "k", "M", "B", "T"]);
  return unit ? `${number}\u202f${unit}` : number;
}

/** A number of floating-point operations, with the prefixes of the SI: 412 GFLOP. */
export function operations(value: number): string {
  const [number, unit] = scaled(value, ["", "k", "M", "G", "T", "P"]);
  return `${number}\u202f${unit}FLOP`;
}

/** A value in the largest unit, a power of 1,000, with a value of at least one. */
function scaled(value: number, units: readonly string[]): [number: string, unit: string] {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return [String(Number((value / 1000 ** power).toPrecision(3))), units[power] ?? ""];
}

/** 1st, 2nd, 3rd, 4th, 11th, 86th … */
export function ordinal(rank: number): string {
  const last = Math.floor(rank / 10) % 10 === 1 || rank % 10 > 3 ? 0 : rank % 10;
  return rank.toLocaleString("en") + "thstndrd".slice(2 * last, 2 * last + 2);
}

const SHOWN: Record<string, string> = { " ": "␣", "\n": "↵", "\t": "⇥" };
const HEX = /⟨[0-9A-F]{2}(?: [0-9A-F]{2})*⟩/gu; // incomplete UTF-8, as the server shows it
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Z}]/gu;
const JOINERS = "\u200c\u200d"; // shape the letters or emoji around them; invisible alone

/** Text with symbols for spaces and invisible characters, and a dotted circle under combining marks. */
export function visible(text: string): string {
  const hex = Array.from(text.matchAll(HEX), ({ 0: match, index }) => [index, index + match.length] as const);
  const shown = text.replace(INVISIBLE, (character, at: number) => {
    if (JOINERS.includes(character) && at > 0 && at + 1 < text.length) return character;
    if (hex.some(([start, end]) => start < at && at < end)) return character;
    return SHOWN[character] ?? `⟨${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
  return /^\p{M}/u.test(shown) ? `◌${shown}` : shown;
}

/** A token of the current table with visible spaces; one of a byte-level table as text. */
export function tokenText(token: string): string {
  return visible(shownToken(token));
}

const MAX_TOKEN_LENGTH = 24;

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [ISOLATE, END_ISOLATE] = ["\u2068", "\u2069"];

/**
 * A token of at most 24 characters, with visible spaces.
 *
 * A token written from right to left is isolated, because it would reorder the numbers next to it.
 */
export function shortToken(token: string, most = MAX_TOKEN_LENGTH): string {
  const characters = Array.from(tokenText(token).slice(0, 4 * most));
  const short = characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : characters.join("");
  return RIGHT_TO_LEFT.test(short) ? `${ISOLATE}${short}${END_ISOLATE}` : short;
}
