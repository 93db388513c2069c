// Writes SVG: escaped text, colors that every program reads, and attributes without needless digits.

export type Attributes = Record<string, string | number | undefined>;

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text that may stand between tags and in attributes; characters that XML forbids are left out. */
export function escaped(text: string): string {
  return text.replace(/\p{Cc}|[\ufffe\uffff]/gu, "").replace(/[&<>"]/g, (found) => ESCAPES[found] ?? found);
}

/** An element; attributes that are undefined are left out. */
export function tag(name: string, attributes: Attributes, content = ""): string {
  let start = `<${name}`;
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) start += ` ${key}="${typeof value === "number" ? rounded(value) : escaped(value)}"`;
  return content ? `${start}>${content}</${name}>` : `${start}/>`;
}

export const rounded = (value: number): string => String(Math.round(value * 100) / 100);

const plain = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/;

/** A color as #rrggbb, and its opacity. */
export interface Paint {
  color: string;
  opacity: number;
}

/** The attributes of a fill or a stroke. */
export function translucent(name: "fill" | "stroke", { color, opacity }: Paint): Attributes {
  return { [name]: color, [`${name}-opacity`]: opacity < 1 ? opacity : undefined };
}

/** A computed color; null if nothing of it is seen. */
export function solid(color: string): Paint | null {
  const [red, green, blue, alpha] = channels(color);
  if (!alpha) return null;
  const hex = [red, green, blue].map((value) => Math.round(value!).toString(16).padStart(2, "0")).join("");
  return { color: `#${hex}`, opacity: alpha };
}

function channels(color: string): number[] {
  const found = plain.exec(color);
  if (found) return [found[1], found[2], found[3], found[4] ?? 1].map(Number);
  return painted(color);
}

const seen = new Map<string, number[]>();

/** The channels of colors of other spaces, which only the browser knows: those of a pixel. */
function painted(color: string): number[] {
  let known = seen.get(color);
  if (!known) {
    const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
    known = [red, green, blue, alpha / 255];
    seen.set(color, known);
  }
  return known;
}
