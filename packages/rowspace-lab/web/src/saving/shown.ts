// What of a page can be saved: its whole figure, and each part that is a figure of its own.

export interface Shown {
  name: string;
  element: Element;
}

const LONGEST = 60; // characters of a name

export function shownIn(root: Element): Shown[] {
  const parts = [...root.querySelectorAll("figure")].filter((figure) => figure.getClientRects().length);
  const outer = parts.filter((figure) => !figure.parentElement?.closest("figure"));
  const named = outer.map((element) => ({ name: nameOf(element), element }));
  return [{ name: named.length > 1 ? "all of it" : "the picture", element: root }, ...(named.length > 1 ? named : [])];
}

/** The caption of a figure, or the label that screen readers say, up to the colon. */
function nameOf(figure: Element): string {
  const label = figure.querySelector("[aria-label]")?.getAttribute("aria-label") ?? "";
  const caption = figure.querySelector("figcaption")?.textContent ?? "";
  const [name = ""] = (label || caption).trim().split(":");
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name || "a part of it";
}

/** A name such as `rowspace-words-pca-of-10-000-rows.png`. */
export function fileName(title: string, name: string, kind: string): string {
  const parts = ["rowspace", title, name === "the picture" ? "" : name];
  const words = parts
    .join(" ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return `${words.filter(Boolean).join("-")}.${kind}`;
}
