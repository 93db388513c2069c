// Text color on a colored background.

import { css, type Rgb } from "./theme-colors";

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
