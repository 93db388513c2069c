import { expect, test } from "vitest";
import { fileName } from "./shown";

test("files are named after what they show", () => {
  expect(fileName("Words", "PCA of 10,000 rows", "png")).toBe("rowspace-words-pca-of-10-000-rows.png");
  expect(fileName("Start", "the picture", "svg")).toBe("rowspace-start.svg");
});
