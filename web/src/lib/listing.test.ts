import { expect, test } from "vitest";
import { listing } from "./listing";

test("imports come first, once each, ours last, and the blank lines that they leave are closed", () => {
  const code =
    "import rowspace as rs\na = 1\n\n\n\nimport numpy as np\nimport rowspace as rs\nfrom x import y\nb = 2\n";
  expect(listing(code)).toBe("import numpy as np\nfrom x import y\nimport rowspace as rs\n\na = 1\n\nb = 2");
});

test("code without imports, and names that begin like one, stay as they are", () => {
  expect(listing("imported = 1\nfrom_here = 2")).toBe("imported = 1\nfrom_here = 2");
});

test("a definition that two figures share is shown once, with two blank lines around it", () => {
  const shared = "def half(x):\n    return x / 2";
  const code = `# one\n${shared}\n\n\na = half(\n    1,\n)\n\n# two\n${shared}\n\n\nb = half(2)`;
  expect(listing(code)).toBe(`# one\n${shared}\n\n\na = half(\n    1,\n)\n\n# two\nb = half(2)`);
});

test("a name that was bound to something else is bound again", () => {
  expect(listing("a = 1\nb = a\na = 2\na = 2\nc = a\na = 1")).toBe("a = 1\nb = a\na = 2\nc = a\na = 1");
});
