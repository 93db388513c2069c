import { expect, test } from "vitest";
import { listing } from "./python-listing";

test("imports come first without duplicates, and blank lines are collapsed", () => {
  const code = "import numpy as np\na = 1\n\n\n\nimport numpy as np\nfrom x import y\nb = 2\n";
  expect(listing(code)).toBe("import numpy as np\nfrom x import y\n\na = 1\n\nb = 2");
});

test("code without imports is unchanged", () => {
  expect(listing("imported = 1\nfrom_here = 2")).toBe("imported = 1\nfrom_here = 2");
});
