import { expect, test } from "vitest";
import { Gif } from "./gif";

function frame(colors: number[]): ImageData {
  const data = new Uint8ClampedArray(colors.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255, 255]));
  return { data, width: colors.length, height: 1 } as ImageData;
}

test("a frame has the exact colors of its changed pixels, and no others", async () => {
  const gif = new Gif();
  gif.add(frame([0xfbfaf7, 0xffffff, 0xfbfaf7]), 100);
  gif.add(frame([0xfbfaf7, 0x0a5797, 0xfbfaf7]), 1500);
  gif.add(frame([0xfbfaf7, 0x0a5797, 0xfbfaf7]), 1500);
  const bytes = new Uint8Array(await gif.file().arrayBuffer());
  const has = (...found: number[]) => bytes.join().includes(found.join());
  expect(String.fromCharCode(...bytes.slice(0, 6))).toBe("GIF89a");
  expect(bytes.at(-1)).toBe(0x3b);
  expect(has(0xfb, 0xfa, 0xf7, 0xff, 0xff, 0xff)).toBe(true); // the colors of the first frame
  expect(has(0x80 | 0, 0x0a, 0x57, 0x97, 0, 0, 0)).toBe(true); // a table of two colors: the changed one, transparent
  expect(has(0x21, 0xf9, 4, 0b101, 150, 0, 1, 0)).toBe(true); // drawn on the frame before, for 1.5 s
});
