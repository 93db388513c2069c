// Arranges a page's Python code like a module: imports first, each definition once.

/** Imports of rowspace come last; an assignment or definition that repeats the current one is left out. */
export function listing(code: string): string {
  const imports = new Set<string>();
  const bound = new Map<string, string>();
  let [body, title, previous, blank] = ["", "", "", true];
  for (const statement of statements(code)) {
    if (/^(import|from) \S/.test(statement)) imports.add(statement);
    else if (statement.startsWith("#")) title += `${statement}\n`;
    else if (statement === "") blank = true;
    else {
      const name = /^(?:def )?(\w+)(?:\(| = )/.exec(statement)?.[1];
      if (name && bound.get(name) === statement) continue;
      if (name) bound.set(name, statement);
      const apart = isDefinition(statement) || isDefinition(previous) ? "\n\n\n" : blank || title ? "\n\n" : "\n";
      body += (previous && apart) + title + statement;
      [title, previous, blank] = ["", statement, false];
    }
  }
  const first = [...imports].sort((one, other) => Number(isOurs(one)) - Number(isOurs(other))).join("\n");
  return [first, body].filter(Boolean).join(/^(#.*\n)*def /.test(body) ? "\n\n\n" : "\n\n");
}

const isDefinition = (statement: string): boolean => statement.startsWith("def ");
const isOurs = (line: string): boolean => line.includes("rowspace");

/** Statements, comments and blank lines; a line that is indented or closes a bracket continues the one before. */
function statements(code: string): string[] {
  const found: string[] = [];
  for (const line of code.split("\n")) {
    if (/^[\s)\]}]/.test(line) && found.length) found[found.length - 1] += `\n${line}`;
    else found.push(line);
  }
  return found;
}
