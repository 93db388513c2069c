// Arranges a page's Python code like a module: imports first, without duplicates.

const isImport = (line: string) => /^(import|from) \S/.test(line);

export function listing(code: string): string {
  const lines = code.split("\n");
  const imports = [...new Set(lines.filter(isImport))];
  const others = lines.filter((line) => !isImport(line));
  const body = others
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return imports.length ? `${imports.join("\n")}\n\n${body}` : body;
}
