import { expect, test } from "vitest";
import { dimensionSteps, logTicks, vocabularySteps } from "./steps";

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

test("ticks of an axis are as many as fit", () => {
  expect(logTicks(2000, 300_000, 600)).toEqual([2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000]);
  expect(logTicks(4, 384_000, 280)).toEqual([10, 100, 1000, 10_000, 100_000]); // the table of six words on a phone
  expect(logTicks(4, 384_000, 150)).toEqual([100, 10_000]);
});
