import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

const FONTS = ["source-serif-4", "jetbrains-mono"];
const fontLicenses: Plugin = {
  name: "font-licenses",
  async generateBundle() {
    const texts = FONTS.map(async (font) => {
      const text = await this.fs.readFile(`node_modules/@fontsource-variable/${font}/LICENSE`, { encoding: "utf8" });
      return `# @fontsource-variable/${font}\n\n${text}`;
    });
    this.emitFile({ type: "asset", fileName: "font-licenses.md", source: (await Promise.all(texts)).join("\n") });
  },
};

const outDir = "../src/rowspace_lab/static";

// The widget of notebooks: one module with its styles, which it puts into a shadow root.
const notebook = defineConfig({
  plugins: [svelte({ emitCss: false, compilerOptions: { css: "injected" } })],
  define: { "process.env.NODE_ENV": '"production"' },
  build: {
    outDir,
    emptyOutDir: false,
    lib: { entry: "src/notebook/main.ts", formats: ["es"], fileName: "notebook" },
    rollupOptions: { output: { codeSplitting: false } },
  },
});

// File names have no hashes, since tests import the map by its name; the server handles caching by modification time.
const workbench = defineConfig({
  plugins: [svelte(), fontLicenses],
  base: "/static/",
  // Files name each other by relative paths, so that an exported site can have them in any folder.
  experimental: {
    renderBuiltUrl: (name, { hostType }) => (hostType === "html" ? `/static/${name}` : { relative: true }),
  },
  build: {
    outDir,
    emptyOutDir: true,
    sourcemap: false,
    assetsInlineLimit: 0,
    license: { fileName: "licenses.md" }, // of what is bundled
    rollupOptions: {
      // The map and the answers of an exported site are also entries, which tests and benchmarks import without a page.
      input: { index: "index.html", map: "src/map/map.ts", exported: "src/api/exported/answer.ts" },
      preserveEntrySignatures: "strict",
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
        codeSplitting: {
          groups: [
            { name: "map-labels", test: /src\/map\/labels\.ts$/, priority: 1 }, // pages use it without the map
            { name: "map-renderer", test: /src\/map\/[\w-]+\.ts$/ },
            // One file for all that pages share: forty small ones take longer to request than to read.
            {
              name: "shared",
              test: /node_modules|src\/(api|charts|components|glossary|state|tables|map)\/|src\/(pages\/)?\w+\.ts$/,
            },
          ],
        },
      },
    },
  },
});

export default defineConfig(({ mode }) => (mode === "notebook" ? notebook : workbench));
