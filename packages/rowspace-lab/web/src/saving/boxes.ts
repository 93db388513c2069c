// The background and the border of an element as SVG.

import { rounded, solid, tag, translucent } from "./markup";

export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function boxOf(place: Place, style: CSSStyleDeclaration): string {
  const rx = Math.min(parseFloat(style.borderTopLeftRadius) || 0, place.height / 2) || undefined;
  const fill = solid(style.backgroundColor);
  const filled = fill ? tag("rect", { ...place, rx, ...translucent("fill", fill) }) : "";
  return filled + gradient(place, style.backgroundImage) + borders(place, rx, style);
}

/** A gradient from left to right, as that of a legend; others are not drawn. */
function gradient(place: Place, image: string): string {
  const inner = /^linear-gradient\((?:to right|90deg), (.*)\)$/.exec(image)?.[1];
  if (!inner) return "";
  const colors = inner.split(/, (?=[a-z#])/).map((color) => solid(color));
  const id = `gradient-${rounded(place.x)}-${rounded(place.y)}`;
  const stops = colors.map((color, at) =>
    tag("stop", { offset: at / Math.max(1, colors.length - 1), "stop-color": color?.color ?? "none" }),
  );
  return tag("linearGradient", { id }, stops.join("")) + tag("rect", { ...place, fill: `url(#${id})` });
}

const SIDES = ["top", "right", "bottom", "left"] as const;

function borders(place: Place, rx: number | undefined, style: CSSStyleDeclaration): string {
  const sides = SIDES.map((side) => {
    const of = (name: string): string => style.getPropertyValue(`border-${side}-${name}`);
    return { side, width: of("style") === "none" ? 0 : parseFloat(of("width")), color: of("color") };
  });
  const [first] = sides;
  if (first?.width && sides.every(({ width, color }) => width === first.width && color === first.color)) {
    const paint = solid(first.color);
    const half = first.width / 2;
    const { x, y, width, height } = place;
    const inner = { x: x + half, y: y + half, width: width - 2 * half, height: height - 2 * half, rx };
    return paint
      ? tag("rect", { ...inner, fill: "none", ...translucent("stroke", paint), "stroke-width": first.width })
      : "";
  }
  return sides.map(({ side, width, color }) => edge(place, side, width, color)).join("");
}

function edge({ x, y, width, height }: Place, side: string, thick: number, color: string): string {
  const paint = thick ? solid(color) : null;
  if (!paint) return "";
  const along = side === "top" || side === "bottom";
  return tag("rect", {
    x: side === "right" ? x + width - thick : x,
    y: side === "bottom" ? y + height - thick : y,
    width: along ? width : thick,
    height: along ? thick : height,
    ...translucent("fill", paint),
  });
}
