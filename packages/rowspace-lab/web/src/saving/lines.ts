// The lines of a text as the browser has laid them out.

export interface Line {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const NO_BREAK = "\u00a0";

/** Each line of a text node, with its place in the window, without the spaces at its ends. */
export function linesOf(node: Text): Line[] {
  const range = document.createRange();
  const lines: Line[] = [];
  let at = 0;
  let [spaces, reached] = ["", 0];
  for (const character of node.data) {
    range.setStart(node, at);
    at += character.length;
    range.setEnd(node, at);
    const place = range.getClientRects()[0];
    const line = lines.at(-1);
    if (!place || (!place.width && !line)) continue;
    if (/\s/.test(character)) {
      if (place.width) spaces += spaces ? NO_BREAK : " "; // of several, programs that open the file would show one
      reached = place.right;
      continue;
    }
    const isNext = line && Math.abs(line.top - place.top) < 2 && place.left < Math.max(line.right, reached) + 1;
    if (isNext) extend(line, spaces + character, place);
    else lines.push({ text: character, left: place.left, right: place.right, top: place.top, bottom: place.bottom });
    [spaces, reached] = ["", 0];
  }
  return lines;
}

function extend(line: Line, character: string, place: DOMRect): void {
  line.text += character;
  line.left = Math.min(line.left, place.left);
  line.right = Math.max(line.right, place.right);
  line.bottom = Math.max(line.bottom, place.bottom);
}

const measuring = new OffscreenCanvas(1, 1).getContext("2d")!;
const ascents = new Map<string, number>();

/** The share of the height of a line that is above its baseline. */
export function ascentOf(style: CSSStyleDeclaration): number {
  const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  let known = ascents.get(font);
  if (known === undefined) {
    measuring.font = font;
    const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = measuring.measureText("x");
    known = ascent / (ascent + descent);
    ascents.set(font, known);
  }
  return known;
}

/** A text with the capitals that its style asks for. */
export function cased(text: string, transform: string): string {
  if (transform === "uppercase") return text.toUpperCase();
  return transform === "lowercase" ? text.toLowerCase() : text;
}
