// The first use of each term in the visible text of a page, found without a change of its elements.

import { findTerms } from "./find-terms";

export interface PageTerm {
  term: string;
  range: Range;
}

/** Text that has its own function when it is pressed, and text that is not prose. */
const SKIPPED =
  "h1, fieldset, code, pre, svg, button, a, select, textarea, dialog, [aria-hidden=true], [role=note], [data-quoted], .hidden";

/** Find the first use of each term; terms that `Term` explains already are left out. */
export function pageTerms(root: HTMLElement): PageTerm[] {
  const seen = new Set<string>();
  for (const { dataset } of root.querySelectorAll<HTMLElement>("[data-term]")) seen.add(dataset.term ?? "");
  const found: PageTerm[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: node } = texts;
    const parent = node.parentElement;
    if (!node.nodeValue?.trim() || !parent || parent.closest(SKIPPED) || !parent.checkVisibility()) continue;
    let start = 0;
    for (const { text, term } of findTerms(node.nodeValue, seen)) {
      if (term) {
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, start + text.length);
        found.push({ term, range });
      }
      start += text.length;
    }
  }
  return found;
}

/** The term at a point of the window. */
export function termAt(terms: readonly PageTerm[], x: number, y: number): PageTerm | undefined {
  const covers = ({ left, right, top, bottom }: DOMRect): boolean => left <= x && x <= right && top <= y && y <= bottom;
  return terms.find(({ range }) => [...range.getClientRects()].some(covers));
}
