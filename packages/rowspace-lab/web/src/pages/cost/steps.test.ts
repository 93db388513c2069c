import { expect, test } from "vitest";
import { dimensionSteps, vocabularySteps } from "./steps";

test("steps are round numbers and the size of the open table", () => {
  const vocabularies = vocabularySteps(13_148);
  for (const size of [8000, 10_000, 30_000, 32_000, 50_000, 100_000, 128_000, 256_000, 1_000_000, 13_148])
    expect(vocabularies).toContain(size);
  const dimensions = dimensionSteps(20);
  for (const size of [8, 20, 64, 100, 300, 384, 512, 768, 1024, 1280, 4096, 12_288, 16_384])
    expect(dimensions).toContain(size);
  for (const steps of [vocabularies, dimensions]) expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
});

test("steps include tables beyond the usual sizes", () => {
  expect(vocabularySteps(6)[0]).toBe(6);
  expect(dimensionSteps(3)[0]).toBe(3);
  expect(vocabularySteps(3_000_000).at(-1)).toBe(3_000_000);
  expect(dimensionSteps(20_000).at(-1)).toBe(20_000);
});
