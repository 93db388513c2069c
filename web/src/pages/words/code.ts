// Joins the code of several figures into one script without duplicate lines; imports and `table = …` come first.

/** Each part is a title and its code, which begins with imports and `table = …`; parts without code are skipped. */
export function joined(parts: [title: string, code: string | undefined][]): string | undefined {
  const [imports, seen] = [new Set<string>(), new Set<string>()];
  let opening = "";
  const bodies: string[] = [];
  for (const [title, code] of parts) {
    if (!code) continue;
    const body: string[] = [];
    for (const line of code.split("\n")) {
      if (/^(import|from) /.test(line)) imports.add(line);
      else if (line.startsWith("table = ")) opening = line;
      else if (line && !seen.has(line)) body.push(line);
    }
    for (const line of body) seen.add(line);
    if (body.length) bodies.push([`# ${title}`, ...body].join("\n"));
  }
  return bodies.length ? [[...imports].sort(byOrigin).join("\n"), opening, ...bodies].join("\n\n") : undefined;
}

/** rowspace comes after third-party packages. */
function byOrigin(first: string, second: string): number {
  return Number(first.includes("rowspace")) - Number(second.includes("rowspace"));
}
