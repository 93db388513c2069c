// Parses only the scripts of a .svelte file: eslint-plugin-import-x looks for imports at the top of the syntax tree, where
// the parser of Svelte has elements.

import ts from "typescript-eslint";

const SCRIPT = /(?<=<script[^>]*>)(.*?)(?=<\/script>)/s;

export function parseForESLint(code, options) {
  // Markup and scripts in turn; markup becomes empty lines, so that messages have the line of the file.
  const parts = code.split(SCRIPT).map((text, at) => (at % 2 ? text : text.replace(/./g, "")));
  return ts.parser.parseForESLint(parts.join(""), options);
}
