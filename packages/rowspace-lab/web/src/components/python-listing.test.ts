import { expect, test } from "vitest";
import { listing } from "./python-listing";

test("imports come first without duplicates, rowspace last, and blank lines are collapsed", () => {
  const code =
    "import rowspace as rs\na = 1\n\n\n\nimport numpy as np\nimport rowspace as rs\nfrom x import y\nb = 2\n";
  expect(listing(code)).toBe("import numpy as np\nfrom x import y\nimport rowspace as rs\n\na = 1\n\nb = 2");
});

test("code without imports is unchanged", () => {
  expect(listing("imported = 1\nfrom_here = 2")).toBe("imported = 1\nfrom_here = 2");
});

test("a shared definition appears once, with two blank lines around it", () => {
  const shared = "def half(x):\n    return x / 2";
  const code = `# one\n${shared}\n\n\na = half(\n    1,\n)\n\n# two\n${shared}\n\n\nb = half(2)`;
  expect(listing(code)).toBe(`# one\n${shared}\n\n\na = half(\n    1,\n)\n\n# two\nb = half(2)`);
});

test("an assignment is repeated after the name was bound to something else", () => {
  expect(listing("a = 1\nb = a\na = 2\na = 2\nc = a\na = 1")).toBe("a = 1\nb = a\na = 2\nc = a\na = 1");
});
