// The code of several figures as one script: imports and the opening stand once, at its head, as does any line that
// would say again what one before it said.

/** Each part is a title and code that begins with imports and `table = …`; a part that is not there yet is left out. */
export function joined(parts: [title: string, code: string | undefined][]): string | undefined {
  const [imports, said] = [new Set<string>(), new Set<string>()];
  let opening = "";
  const bodies: string[] = [];
  for (const [title, code] of parts) {
    if (!code) continue;
    const body: string[] = [];
    for (const line of code.split("\n")) {
      if (/^(import|from) /.test(line)) imports.add(line);
      else if (line.startsWith("table = ")) opening = line;
      else if (line && !said.has(line)) body.push(line);
    }
    for (const line of body) said.add(line);
    if (body.length) bodies.push([`# ${title}`, ...body].join("\n"));
  }
  return bodies.length ? [[...imports].sort(isOurs).join("\n"), opening, ...bodies].join("\n\n") : undefined;
}

/** Ours come last, as is the custom. */
function isOurs(first: string, second: string): number {
  return Number(first.includes("rowspace")) - Number(second.includes("rowspace"));
}
