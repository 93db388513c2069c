import { expect, test } from "vitest";
import { listing } from "./python-listing";

test("imports come first, once each, and the blank lines that they leave are closed", () => {
  const code = "import numpy as np\na = 1\n\n\n\nimport numpy as np\nfrom x import y\nb = 2\n";
  expect(listing(code)).toBe("import numpy as np\nfrom x import y\n\na = 1\n\nb = 2");
});

test("code without imports, and names that begin like one, stay as they are", () => {
  expect(listing("imported = 1\nfrom_here = 2")).toBe("imported = 1\nfrom_here = 2");
});
