// Colors of the current theme for canvas code, text on a colored background, and a canvas with the screen's resolution.

import { pixelRatio } from "./pixel-ratio.svelte";

export type Rgb = [red: number, green: number, blue: number];

/** The color of a CSS token such as `--positive` in the theme of `element`. */
export function themeColor(element: Element, token: string): Rgb {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  element.append(probe);
  const [red = 0, green = 0, blue = 0] =
    getComputedStyle(probe)
      .color.match(/[\d.]+/g)
      ?.map(Number) ?? [];
  probe.remove();
  return [red, green, blue];
}

export const css = ([red, green, blue]: Rgb, alpha = 1): string => `rgb(${red} ${green} ${blue} / ${alpha})`;

export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const at = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share);
  return [at(0), at(1), at(2)];
}

/** Match the canvas to the screen's resolution; returns its context in CSS pixels, or null before layout. */
export function fitted(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
  const { clientWidth, clientHeight } = canvas;
  const context = canvas.getContext("2d");
  if (!context || !clientWidth || !clientHeight) return null;
  const ratio = pixelRatio.value;
  canvas.width = Math.round(clientWidth * ratio);
  canvas.height = Math.round(clientHeight * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** A style with this background and readable text. */
export function textOn(color: Rgb): string {
  return `background: ${css(color)}; color: ${luminance(color) > 0.179 ? "#000" : "#fff"}`;
}

/** Relative luminance (WCAG 2): above 0.179 black has the higher contrast, below it white. */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
