// The page around the front end: its own, or that of a notebook, whose URL, storage and style it leaves alone.

/** Whether this is the widget of a notebook, as `vite build --mode notebook` builds it. */
export const inNotebook = import.meta.env.MODE === "notebook";

let root: HTMLElement | undefined;

/** An element with the colors and the font of the front end. */
export const styledElement = (): HTMLElement => root ?? document.body;

/** Set it, for a front end that is only a part of the page. */
export function setStyledElement(element: HTMLElement): void {
  root = element;
}
