// The background, the shadow lines, the outline and the border of an element as SVG.

import { rounded, solid, tag, translucent, type Attributes } from "./markup";

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
  return filled + gradient(place, style) + shadow(place, rx, style) + borders(place, rx, style) + outline(place, style);
}

/** A gradient from left to right, as that of a legend, or a line that is written as one; others are not drawn. */
function gradient(place: Place, style: CSSStyleDeclaration): string {
  const inner = /^linear-gradient\((?:(?:to right|90deg), )?(.*)\)$/.exec(style.backgroundImage)?.[1];
  if (!inner) return "";
  const colors = inner.split(/, (?=[a-z#])/).map((color) => solid(color)?.color ?? "none");
  const part = partOf(place, style);
  if (colors.every((color) => color === colors[0])) return tag("rect", { ...part, fill: colors[0] });
  const id = `gradient-${rounded(place.x)}-${rounded(place.y)}`;
  const stops = colors.map((color, at) =>
    tag("stop", { offset: at / Math.max(1, colors.length - 1), "stop-color": color }),
  );
  return tag("linearGradient", { id }, stops.join("")) + tag("rect", { ...part, fill: `url(#${id})` });
}

/** The part of an element that its background image covers. */
function partOf({ x, y, width, height }: Place, style: CSSStyleDeclaration): Place {
  const [across = "auto", down = "auto"] = style.backgroundSize.split(" ");
  const [right = "0px", below = "0px"] = style.backgroundPosition.split(" ");
  const length = (value: string, whole: number): number =>
    value === "auto" ? whole : value.endsWith("%") ? (whole * parseFloat(value)) / 100 : parseFloat(value);
  const [wide, high] = [length(across, width), length(down, height)];
  return { x: x + length(right, width - wide), y: y + length(below, height - high), width: wide, height: high };
}

const SHADOW = /^(.+\)) (-?[\d.]+)px (-?[\d.]+)px 0px (-?[\d.]+)px( inset)?$/;

/** A shadow that is not blurred: a frame, or a line along one side. */
function shadow(place: Place, rx: number | undefined, style: CSSStyleDeclaration): string {
  const [, color = "", right, down, spread, inset] = SHADOW.exec(style.boxShadow) ?? [];
  const [dx, dy, thick] = [Number(right), Number(down), Number(spread)];
  if (thick) return frame(place, rx, inset ? thick : -thick, color);
  if (dx) return edge(place, dx > 0 ? "left" : "right", Math.abs(dx), color);
  return dy ? edge(place, dy > 0 ? "top" : "bottom", Math.abs(dy), color) : "";
}

function outline(place: Place, style: CSSStyleDeclaration): string {
  if (style.outlineStyle === "none" || style.outlineStyle === "auto") return "";
  const thick = parseFloat(style.outlineWidth);
  const away = thick + parseFloat(style.outlineOffset);
  return frame(grown(place, away), undefined, thick, style.outlineColor, dashes(style.outlineStyle));
}

const grown = ({ x, y, width, height }: Place, by: number): Place => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});
const dashes = (style: string): Attributes => (style === "dashed" ? { "stroke-dasharray": "3 2" } : {});

/** A line along the edge of a place, inside of it, or outside of it if it is negative. */
function frame(place: Place, rx: number | undefined, thick: number, color: string, more: Attributes = {}): string {
  const paint = thick ? solid(color) : null;
  if (!paint) return "";
  const line = { fill: "none", ...translucent("stroke", paint), "stroke-width": Math.abs(thick), ...more };
  return tag("rect", { ...grown(place, -thick / 2), rx, ...line });
}

const SIDES = ["top", "right", "bottom", "left"] as const;

function borders(place: Place, rx: number | undefined, style: CSSStyleDeclaration): string {
  const sides = SIDES.map((side) => {
    const of = (name: string): string => style.getPropertyValue(`border-${side}-${name}`);
    return { side, width: of("style") === "none" ? 0 : parseFloat(of("width")), color: of("color") };
  });
  const [first] = sides;
  if (first?.width && sides.every(({ width, color }) => width === first.width && color === first.color))
    return frame(place, rx, first.width, first.color, dashes(style.borderTopStyle));
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
