// The elements of a page as SVG.

import { boxOf, type Place } from "./boxes";
import { drawingOf } from "./drawing";
import { ascentOf, cased, linesOf, type Line } from "./lines";
import { escaped, solid, tag, translucent, type Paint } from "./markup";

const MARKER_GAP = 0.4; // em

/** Writes elements, moved by `right` and `down` from their places in the window. */
export class Elements {
  private right: number;
  private down: number;
  private clips = 0;

  constructor(right: number, down: number) {
    this.right = right;
    this.down = down;
  }

  markup(element: Element): string {
    const style = getComputedStyle(element);
    if (style.display === "none" || style.opacity === "0") return "";
    if (isForReadersOnly(element, style)) return "";
    const content = this.boxes(element, style) + this.marker(element, style) + this.inside(element, style);
    return style.opacity === "1" ? content : tag("g", { opacity: style.opacity }, content);
  }

  private placeOf({ left, top, width, height }: DOMRect): Place {
    return { x: left + this.right, y: top + this.down, width, height };
  }

  /** The background and the border, those of each line if the element is a part of a text. */
  private boxes(element: Element, style: CSSStyleDeclaration): string {
    if (style.visibility !== "visible") return "";
    const boxes = style.display === "inline" ? [...element.getClientRects()] : [element.getBoundingClientRect()];
    return boxes
      .filter(({ width, height }) => width > 0 && height > 0)
      .map((box) => boxOf(this.placeOf(box), style))
      .join("");
  }

  /** The number of an item of a list. */
  private marker(element: Element, style: CSSStyleDeclaration): string {
    if (style.display !== "list-item" || style.listStyleType !== "decimal") return "";
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let first: Line | undefined;
    while (!first && texts.nextNode()) [first] = linesOf(texts.currentNode as Text);
    const ink = solid(style.color);
    if (!first || !ink) return "";
    const { left } = element.getBoundingClientRect();
    const text = `${[...element.parentElement!.children].indexOf(element) + 1}.`;
    const right = left - parseFloat(style.fontSize) * MARKER_GAP;
    return this.line({ ...first, text, left: right, right }, ink, style, "end");
  }

  private inside(element: Element, style: CSSStyleDeclaration): string {
    const place = this.placeOf(element.getBoundingClientRect());
    if (element instanceof SVGSVGElement) return drawingOf(element, place.x, place.y);
    if (element instanceof HTMLCanvasElement) return tag("image", { ...place, href: pixels(element) });
    const content = [...element.childNodes].map((node) => this.child(node, style)).join("");
    return content && isCut(element, style) ? this.clipped(place, content) : content;
  }

  private clipped(place: Place, content: string): string {
    const id = `clip${(this.clips += 1)}`;
    const clip = tag("clipPath", { id }, tag("rect", { ...place }));
    return clip + tag("g", { "clip-path": `url(#${id})` }, content);
  }

  private child(node: Node, style: CSSStyleDeclaration): string {
    if (node instanceof Element) return this.markup(node);
    const ink = node instanceof Text && node.data.trim() && style.visibility === "visible" ? solid(style.color) : null;
    return ink
      ? linesOf(node as Text)
          .map((line) => this.line(line, ink, style))
          .join("")
      : "";
  }

  private line(line: Line, ink: Paint, style: CSSStyleDeclaration, anchor?: string): string {
    const text = cased(line.text, style.textTransform);
    const attributes = {
      x: line.left + this.right,
      y: line.top + this.down + ascentOf(style) * (line.bottom - line.top),
      ...translucent("fill", ink),
      "font-family": style.fontFamily,
      "font-size": style.fontSize,
      "font-weight": style.fontWeight,
      "font-style": style.fontStyle,
      "text-anchor": anchor,
      // Lines below words say that they can be clicked.
      "text-decoration": style.textDecorationLine === "line-through" ? "line-through" : undefined,
    };
    // Where the font is not installed, another one takes the same room.
    const fitted = line.right > line.left &&
      text.length > 1 && { textLength: line.right - line.left, lengthAdjust: "spacingAndGlyphs" };
    return tag("text", { ...attributes, ...fitted }, escaped(text));
  }
}

/** Text for screen readers takes a pixel of the page. */
function isForReadersOnly(element: Element, style: CSSStyleDeclaration): boolean {
  return style.overflow === "hidden" && element.clientWidth <= 1 && element.clientHeight <= 1;
}

/** Whether an element shows only a part of what it contains. */
function isCut(element: Element, style: CSSStyleDeclaration): boolean {
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
  const clips = style.overflowX !== "visible" && style.display !== "inline";
  return clips && (scrollWidth > clientWidth || scrollHeight > clientHeight);
}

function pixels(canvas: HTMLCanvasElement): string | undefined {
  return canvas.width && canvas.height ? canvas.toDataURL() : undefined;
}
