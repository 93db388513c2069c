// What of a page can be saved: its whole figure, and each part of it.

export interface Shown {
  name: string;
  element: Element;
}

const PARTS = "[data-picture], figure"; // the first: a figure with its legend
const WHOLE = "the whole figure";
const NEARLY_ALL = 0.8; // of the area; so large a part is not one
const LONGEST = 60; // characters of a name

export function shownIn(root: Element): Shown[] {
  const parts = [...root.querySelectorAll(PARTS)].filter(
    (part) => part.getClientRects().length && !part.parentElement?.closest(PARTS),
  );
  const isAll = parts.length === 1 && areaOf(parts[0]!) > NEARLY_ALL * areaOf(root);
  const names = parts.map(nameOf);
  const named = isAll ? [] : parts.map((element, at) => ({ name: numbered(names, at), element }));
  return [{ name: named.length ? WHOLE : "the picture", element: root }, ...named];
}

function areaOf(element: Element): number {
  const { width, height } = element.getBoundingClientRect();
  return width * height;
}

/** A name, with a number if it is that of an earlier part. */
function numbered(names: readonly string[], at: number): string {
  const name = names[at]!;
  const number = names.slice(0, at + 1).filter((other) => other === name).length;
  return number > 1 ? `${name} ${number}` : name;
}

/** The caption of a figure, or the label that screen readers say, up to what explains keys. */
function nameOf(figure: Element): string {
  const labeled = figure.matches("[aria-label]") ? figure : figure.querySelector("[aria-label]:not(button)");
  const label = labeled?.getAttribute("aria-label") ?? "";
  const caption = figure.querySelector("figcaption")?.textContent ?? "";
  const [name = ""] = (label || caption).trim().split(/[:;(]/);
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name.trim() || "a part of it";
}

/** A name such as `rowspace-words-english-words-umap-of-10-000-rows.png`. */
export function fileName(page: string, table: string, name: string, kind: string): string {
  const words = ["rowspace", page, table.split("/").at(-1), name.replace(/^the /i, "")]
    .join(" ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return `${words.filter(Boolean).join("-")}.${kind}`;
}
