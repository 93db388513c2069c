import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// Pure functions only: what needs a page is tested in a browser, by tests/lab/browser.
export default defineConfig({
  plugins: [svelte()],
  // The functions keep no state, so the files share a process.
  test: { css: true, include: ["src/**/*.test.ts"], environment: "node", pool: "threads", isolate: false },
});
