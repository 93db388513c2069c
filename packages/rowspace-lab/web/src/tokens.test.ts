import { expect, test } from "vitest";
import css from "./tokens.css?raw";

/** The light and dark color of a token. */
function token(name: string): [light: string, dark: string] {
  const value = css.match(new RegExp(`${name}: ([^;]*);`))?.[1] ?? "";
  const colors = value.match(/#[0-9a-f]{6}/gi) ?? [];
  if (!colors.length) throw new Error(`tokens.css has no color ${name}`);
  return [colors[0] as string, colors.at(-1) as string];
}

/** Relative luminance and contrast as defined by WCAG 2.2. */
function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function expectContrast(name: string, ground: string, least: number): void {
  for (const theme of [0, 1] as const)
    expect(contrast(token(name)[theme], token(ground)[theme]), `${name} on ${ground}`).toBeGreaterThanOrEqual(least);
}

test("text has the contrast that WCAG requires, in both themes", () => {
  for (const name of ["--ink", "--quiet", "--accent", "--wrong"])
    for (const ground of ["--paper", "--surface"]) expectContrast(name, ground, 4.5);
  expectContrast("--on-accent", "--accent", 4.5);
  expectContrast("--ink", "--lit", 4.5);
});

test("graphics have the contrast that WCAG requires, in both themes", () => {
  const classes = Array.from({ length: 8 }, (_, at) => `--class-${at + 1}`);
  for (const name of [...classes, "--muted", "--positive", "--negative"])
    for (const ground of ["--paper", "--surface"]) expectContrast(name, ground, 3);
});

test("zero has the color of the surface behind heat maps", () => {
  expect(token("--zero")).toEqual(token("--surface"));
});
