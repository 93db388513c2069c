// The steps of the sliders of V and d.

/** Vocabularies to choose from: 1, 2, 3, 4, 5 and 8 times a power of ten, frequent ones, and that of the table. */
export function vocabularySteps(own: number): number[] {
  const round = [1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 3, 4, 5, 8].map((digit) => digit * 10 ** power));
  return ascending([...round, 32_000, 64_000, 128_000, 256_000, own], Math.min(1000, own), 1_000_000);
}

/** Dimensions to choose from: 4, 5 and 6 times a power of two, such as 768, 1,280 and 12,288, and that of the table. */
export function dimensionSteps(own: number): number[] {
  const round = Array.from({ length: 13 }, (_, power) => [4, 5, 6].map((digit) => digit * 2 ** power)).flat();
  return ascending([...round, 100, 300, own], Math.min(8, own), 16_384);
}

const ascending = (steps: number[], low: number, high: number): number[] =>
  [...new Set(steps)].filter((step) => step >= low && (step <= high || step === steps.at(-1))).sort((a, b) => a - b);
