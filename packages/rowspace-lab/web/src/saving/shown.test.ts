import { expect, test } from "vitest";
import { fileName } from "./shown";

test("files are named after the page, the table and what they show", () => {
  expect(fileName("Words", "English words", "PCA of 10,000 rows", "png")).toBe(
    "rowspace-words-english-words-pca-of-10-000-rows.png",
  );
  expect(fileName("Start", "work/my-table", "the film", "gif")).toBe("rowspace-start-my-table-film.gif");
});
