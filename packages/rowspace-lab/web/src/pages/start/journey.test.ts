import { expect, test } from "vitest";
import { layoutOf, leftOf, piecesThatFit, sampledColumns, share, travelersOf } from "./journey";

const piece = (text: string, row = true) => ({ text, token: text.toLowerCase(), id: row ? 1 : null, row });

test("stations follow each other without overlap, at both widths", () => {
  for (const width of [356, 1000]) {
    const { tops, labels, height, left, column } = layoutOf(width, 6);
    for (let station = 1; station < tops.length; station++)
      expect(labels[station]).toBeGreaterThan(tops[station - 1] ?? 0);
    expect(height).toBeGreaterThan(tops.at(-1) ?? 0);
    expect(left + 6 * column).toBeLessThanOrEqual(width);
    const shortened = layoutOf(width, 6, true);
    expect(leftOf(shortened, 5) + shortened.column).toBeLessThanOrEqual(width + 2);
  }
});

test("a long text keeps its last piece", () => {
  expect(piecesThatFit(4, 356)).toEqual([0, 1, 2, 3]);
  expect(piecesThatFit(64, 356)).toEqual([0, 1, 2, 3, 4, 63]);
  expect(piecesThatFit(64, 1000)).toHaveLength(8);
});

test("wide rows are sampled evenly, and narrow ones are complete", () => {
  expect(sampledColumns(3)).toEqual([0, 1, 2]);
  expect(sampledColumns(384)).toHaveLength(24);
  expect(sampledColumns(384).slice(0, 3)).toEqual([0, 16, 32]);
});

test("a station is complete when the next one starts", () => {
  expect(share(2, 2)).toBe(0);
  expect(share(2.5, 2)).toBe(0.5);
  expect([share(3, 2), share(7, 2), share(0, 2)]).toEqual([1, 1, 0]);
  expect(share(2.5, 2, 0.5, 1)).toBe(0);
});

test("equal tokens have one color, and pieces without a row have no place in X", () => {
  const pieces = [piece("the"), piece("cat"), piece("xyz", false), piece("The")];
  const travelers = travelersOf("the cat xyz The", pieces, [0, 1, 2, 3]);
  expect(travelers.map(({ color }) => color)).toEqual([1, 2, 3, 1]);
  expect(travelers.map(({ row }) => row)).toEqual([0, 1, -1, 2]);
  expect(travelers.map(({ origin }) => origin * 15)).toEqual([1.5, 5.5, 9.5, 13.5]);
  expect(travelersOf("the cat xyz The", pieces, [1, 3])).toEqual([travelers[1], travelers[3]]);
});
