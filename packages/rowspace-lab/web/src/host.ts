// The page around the front end: its own, that of a notebook, whose URL, storage and style it leaves alone, or one of the
// documentation that shows a figure in a frame.

/** Whether this is the widget of a notebook, as `vite build --mode notebook` builds it. */
export const inNotebook = import.meta.env.MODE === "notebook";

/** The parameter of an address that asks for the figure alone; its value is the theme of the page around it, if it is known. */
export const EMBED = "embed";

const asked = inNotebook ? null : new RegExp(`[?&]${EMBED}=(\\w*)`).exec(globalThis.location?.href ?? "");

/** Whether this is the figure alone, in a page of the documentation. */
export const isEmbedded = asked !== null;

/** The theme of that page. */
export const embeddedTheme = asked?.[1] === "light" || asked?.[1] === "dark" ? asked[1] : null;

/** Whether the URL, the history and the storage are those of the front end; else its state is only in memory. */
export const hasOwnUrl = !inNotebook && !isEmbedded;

let root: HTMLElement | undefined;

/** An element with the colors and the font of the front end. */
export const styledElement = (): HTMLElement => root ?? document.body;

/** Set it, for a front end that is only a part of the page. */
export function setStyledElement(element: HTMLElement): void {
  root = element;
}
