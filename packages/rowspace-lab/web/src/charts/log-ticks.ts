// The ticks of a logarithmic axis.

const LABEL_WIDTH = 36; // px, of a label such as "100k" with a gap

/** Ticks of a logarithmic axis: 1, 2, 5, 10 … where their labels fit, else powers of ten, or fewer of these. */
export function logTicks(low: number, high: number, pixels: number, labelSize = LABEL_WIDTH): number[] {
  const decade = pixels / Math.log10(high / low);
  const digits = decade * Math.log10(2) >= labelSize ? [1, 2, 5] : [1];
  const step = Math.max(1, Math.ceil(labelSize / decade));
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const powers = Array.from({ length: last - first + 1 }, (_, at) => first + at).filter((power) => power % step === 0);
  return powers
    .flatMap((power) => digits.map((digit) => Number(`${digit}e${power}`)))
    .filter((tick) => tick >= low && tick <= high);
}
