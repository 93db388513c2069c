// Black or white, whichever can be read on a colour.

import { css, type Rgb } from "./ink";

/** The style of text on a colour, for tokens and numbers whose background is their value. */
export function inked(colour: Rgb): string {
  return `background: ${css(colour)}; color: ${luminance(colour) > 0.179 ? "#000" : "#fff"}`;
}

/** As the contrast of text is reckoned (WCAG 2): above 0.179 black stands out better, below it white. */
function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
