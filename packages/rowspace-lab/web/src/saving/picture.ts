// A part of the page as a picture: SVG with text as text and drawings as drawings, or pixels made from it.

import { Elements } from "./elements";
import { facesFor } from "./fonts";
import { solid, tag } from "./markup";

export interface Picture {
  svg: string;
  width: number;
  height: number;
}

const MARGIN = 12; // px around the picture

/** Draw an element as it stands on the page, on the page's background. */
export async function pictureOf(root: Element): Promise<Picture> {
  const box = root.getBoundingClientRect();
  const [width, height] = [Math.ceil(box.width) + 2 * MARGIN, Math.ceil(box.height) + 2 * MARGIN];
  const paper = solid(getComputedStyle(document.body).backgroundColor);
  const content = new Elements(MARGIN - box.left, MARGIN - box.top).markup(root);
  const faces = await facesFor(content);
  const svg = tag(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` },
    (faces && tag("style", {}, faces)) + tag("rect", { width, height, fill: paper?.color ?? "#ffffff" }) + content,
  );
  return { svg, width, height };
}

/** Draw a picture to a canvas, `scale` pixels for each of the page. */
export async function canvasOf({ svg, width, height }: Picture, scale: number): Promise<HTMLCanvasElement> {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.getContext("2d", { willReadFrequently: true })!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  } finally {
    URL.revokeObjectURL(address);
  }
}
