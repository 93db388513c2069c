// The width of a label in the font of the page.

let pen: CanvasRenderingContext2D | null = null;

/** The width of a text in pixels, with a small margin. */
export function textWidth(text: string, size: number): number {
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return 0.64 * size * text.length;
  pen.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width + 4;
}
