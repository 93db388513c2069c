// Arrays that hold one size of the vocabulary after the other.

/** The numbers of each size. */
export function slices<Numbers extends { subarray(from: number, to: number): Numbers }>(
  numbers: Numbers,
  lengths: ArrayLike<number>,
): Numbers[] {
  let start = 0;
  return Array.from(lengths, (length) => numbers.subarray(start, (start += length)));
}
