// The steps of the sliders of V and d, and the ticks of their axes.

const LABEL_WIDTH = 36; // px, of a label such as "100k" with a gap

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

/** Ticks of a logarithmic axis: 1, 2, 5, 10 … where their labels fit, else powers of ten, or fewer of these. */
export function logTicks(low: number, high: number, pixels: number): number[] {
  const decade = pixels / Math.log10(high / low);
  const digits = decade * Math.log10(2) >= LABEL_WIDTH ? [1, 2, 5] : [1];
  const step = Math.ceil(LABEL_WIDTH / decade);
  const powers = Array.from({ length: 13 }, (_, power) => power).filter((power) => power % step === 0);
  return powers
    .flatMap((power) => digits.map((digit) => digit * 10 ** power))
    .filter((tick) => tick >= low && tick <= high);
}
