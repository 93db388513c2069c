import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import svelte from "eslint-plugin-svelte";
import { defineConfig } from "eslint/config";
import globals from "globals";
import ts from "typescript-eslint";
import importOrder from "./lint/import-order.js";
import svelteConfig from "./svelte.config.js";

export default defineConfig(
  { ignores: ["node_modules"] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  prettier,
  ...svelte.configs.prettier,
  { languageOptions: { globals: { ...globals.browser, ...globals.node } } },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  {
    // State that draws is `$state`; the maps, sets and URL parameters are caches and temporaries, plain on purpose.
    rules: { "svelte/prefer-svelte-reactivity": "off" },
  },
  {
    // TypeScript itself reports unknown names, and knows the types that the DOM declares.
    files: ["**/*.ts", "**/*.svelte"],
    rules: { "no-undef": "off" },
  },
  importOrder,
);
