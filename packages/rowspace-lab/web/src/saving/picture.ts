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

/** Controls, and what a figure marks as of no use in a picture. */
const UNSAVED = `[data-unsaved], input, select, textarea, fieldset, label:has(input), [role="tablist"],
  details:not([open]), button:not(.token, [aria-label], :has(:not(kbd)))`;
const withoutControls = new CSSStyleSheet();
withoutControls.replaceSync(`[data-saving] :is(${UNSAVED}) { display: none !important; }`);

/** Draw an element as it stands on the page, without controls, on the page's background. */
export async function pictureOf(root: Element): Promise<Picture> {
  const { content, width, height } = drawn(root);
  const paper = solid(getComputedStyle(document.documentElement).backgroundColor)!;
  const faces = await facesFor(content);
  const svg = tag(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` },
    (faces && tag("style", {}, faces)) + tag("rect", { width, height, fill: paper.color }) + content,
  );
  return { svg, width, height };
}

/** The page is laid out without controls, and back before the browser shows it. */
function drawn(root: Element): { content: string; width: number; height: number } {
  const top = scrollY;
  document.adoptedStyleSheets.push(withoutControls);
  root.toggleAttribute("data-saving", true);
  try {
    const box = root.getBoundingClientRect();
    const [width, height] = [Math.ceil(box.width) + 2 * MARGIN, Math.ceil(box.height) + 2 * MARGIN];
    return { content: new Elements(MARGIN - box.left, MARGIN - box.top).markup(root), width, height };
  } finally {
    root.removeAttribute("data-saving");
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== withoutControls);
    scrollTo({ top, behavior: "instant" });
  }
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
