// A copy of an svg of the page that needs no style sheet.

import { rounded, solid, tag } from "./markup";

/** Properties that are written where they differ from what SVG begins with. */
const PROPERTIES: Record<string, string> = {
  "stroke-width": "1px",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  "fill-rule": "nonzero",
  opacity: "1",
  "text-anchor": "start",
  "dominant-baseline": "auto",
  "paint-order": "normal",
  "marker-end": "none",
  "marker-start": "none",
  "vector-effect": "none",
  transform: "none",
  "clip-path": "none",
};
const FONT = ["font-family", "font-size", "font-weight", "font-style"];

/** The markup of an svg element, with its top left corner at x, y. */
export function drawingOf(svg: SVGSVGElement, x: number, y: number): string {
  const { width, height } = svg.getBoundingClientRect();
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [shown, copied] = [all(svg), all(copy)];
  const hidden: Element[] = [];
  shown.forEach((element, at) => {
    const target = copied[at]!;
    if (getComputedStyle(element).display === "none") hidden.push(target);
    else dress(element, target);
  });
  for (const element of hidden) element.remove();
  const viewBox = svg.getAttribute("viewBox") ?? `0 0 ${rounded(width)} ${rounded(height)}`;
  return tag("svg", { x, y, width, height, viewBox, overflow: "visible" }, copy.innerHTML);
}

const all = (svg: SVGSVGElement): Element[] => [...svg.querySelectorAll("*")];

/** Replace the classes and styles of a copied element by attributes. */
function dress(element: Element, copy: Element): void {
  const style = getComputedStyle(element);
  copy.removeAttribute("class");
  copy.removeAttribute("style");
  for (const name of element instanceof SVGStopElement ? ["stop-color"] : ["fill", "stroke"]) paint(name, style, copy);
  for (const [name, usual] of Object.entries(PROPERTIES)) {
    const value = style.getPropertyValue(name);
    if (value && value !== usual) copy.setAttribute(name, value);
  }
  if (style.visibility === "hidden") copy.setAttribute("visibility", "hidden");
  if (element instanceof SVGTextContentElement)
    for (const name of FONT) copy.setAttribute(name, style.getPropertyValue(name));
}

function paint(name: string, style: CSSStyleDeclaration, copy: Element): void {
  const color = style.getPropertyValue(name);
  if (color.startsWith("url(")) return;
  const found = color === "none" ? null : solid(color);
  const opacity = found ? found.opacity * Number(style.getPropertyValue(`${name}-opacity`)) : 1;
  copy.setAttribute(name, found?.color ?? "none");
  if (opacity < 1) copy.setAttribute(`${name}-opacity`, rounded(opacity));
}
