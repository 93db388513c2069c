// Joins the code of several figures into one script.

/** Each part is a title and its code; parts without code are skipped. */
export function joined(parts: [title: string, code: string | undefined][]): string | undefined {
  const codes = parts.flatMap(([title, code]) => (code ? [`# ${title}\n${code}`] : []));
  return codes.length ? codes.join("\n\n") : undefined;
}
