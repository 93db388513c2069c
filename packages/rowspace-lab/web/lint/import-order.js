// The import rule: a folder of src/ imports only those below it in this list, and not its siblings; pages do not import
// each other; no module imports itself through others.

import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import importX, { createNodeResolver } from "eslint-plugin-import-x";

const ORDER = [
  ["main.ts"],
  ["App.svelte", "embedded", "notebook"],
  ["lessons"],
  ["pages", "tables"],
  ["components", "map"],
  ["saving"],
  ["charts", "glossary"],
  ["state"],
  ["api"],
  ["format.ts"],
  ["shown-tokens.ts"],
  ["host.ts"],
];

const svelteScripts = fileURLToPath(new URL("svelte-scripts.js", import.meta.url));

const missing = folders("src").filter((name) => !ORDER.flat().includes(name));
if (missing.length) throw new Error(`add ${missing.join(", ")} of src/ to the order in lint/import-order.js`);

const layers = ORDER.slice(1).flatMap((names, above) =>
  names.map((name) => ({
    target: `src/${name}`,
    from: ORDER.slice(0, above + 2)
      .flat()
      .filter((other) => other !== name)
      .map((other) => `src/${other}`),
    message: `${name} may import only what is below it in lint/import-order.js.`,
  })),
);
const pages = folders("src/pages").map((name) => ({
  target: `src/pages/${name}`,
  from: "src/pages",
  except: [`./${name}`],
  message: "Pages do not import each other.",
}));

export default {
  files: ["src/**/*.ts", "src/**/*.svelte"],
  plugins: { "import-x": importX },
  settings: {
    "import-x/extensions": [".ts", ".svelte"],
    "import-x/parsers": { "@typescript-eslint/parser": [".ts"], [svelteScripts]: [".svelte"] },
    "import-x/resolver-next": [createNodeResolver({ extensions: [".ts"] })],
  },
  rules: {
    "import-x/no-restricted-paths": ["error", { zones: [...layers, ...pages] }],
    "import-x/no-cycle": "error",
    "import-x/no-unresolved": "error",
  },
};

function folders(path) {
  return readdirSync(new URL(`../${path}`, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
