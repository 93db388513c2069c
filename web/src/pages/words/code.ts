// The code of several figures as one script.

/** Each part is a title and its code; a part that is not there yet is left out. */
export function joined(parts: [title: string, code: string | undefined][]): string | undefined {
  const codes = parts.flatMap(([title, code]) => (code ? [`# ${title}\n${code}`] : []));
  return codes.length ? codes.join("\n\n") : undefined;
}
