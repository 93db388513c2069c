// The terms of the glossary in a text.

import { GLOSSARY } from "./glossary";

export interface Part {
  text: string;
  /** The name of the term that the text is a form of. */
  term?: string;
}

const nameOf = new Map(
  Object.entries(GLOSSARY).flatMap(([name, { forms = [] }]) =>
    [name, ...forms].map((form) => [form.toLowerCase(), name]),
  ),
);
const longestFirst = [...nameOf.keys()].sort((a, b) => b.length - a.length);
const pattern = new RegExp(`(?<![\\p{L}-])(?:${longestFirst.join("|")})(?![\\p{L}-])`, "giu");

/** Cut a text at the first use of each term that is not in `found`, and add it there. */
export function findTerms(text: string, found = new Set<string>()): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: form, index } of text.matchAll(pattern)) {
    const term = nameOf.get(form.toLowerCase());
    if (!term || found.has(term)) continue;
    found.add(term);
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: form, term });
    end = index + form.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}
