import { expect, test } from "vitest";
import { escaped, rounded, solid, tag } from "./markup";

test("text is escaped, and what XML forbids is left out", () => {
  expect(escaped('a<b & "c"\u0001\u{1f600}')).toBe("a&lt;b &amp; &quot;c&quot;\u{1f600}");
  expect(tag("text", { x: 1.005, fill: 'a"b', y: undefined }, "t")).toBe('<text x="1" fill="a&quot;b">t</text>');
  expect(rounded(2 / 3)).toBe("0.67");
});

test("colors are those that every program reads", () => {
  expect(solid("rgb(10, 87, 151)")).toEqual({ color: "#0a5797", opacity: 1 });
  expect(solid("rgba(255, 0, 0, 0.5)")).toEqual({ color: "#ff0000", opacity: 0.5 });
  expect(solid("rgba(0, 0, 0, 0)")).toBeNull();
});
