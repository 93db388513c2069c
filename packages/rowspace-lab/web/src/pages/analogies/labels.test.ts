import { expect, test } from "vitest";
import { HEIGHT } from "../../map/labels";
import { placeLabels, type Placed, type Wanted } from "./labels";

const widthOf = (text: string) => 7 * text.length;

function overlap(one: Placed, other: Placed): boolean {
  const apart = one.left + widthOf(one.text) <= other.left || other.left + widthOf(other.text) <= one.left;
  return !apart && Math.abs(one.y - other.y) < HEIGHT;
}

test("labels do not overlap, and all needed labels are placed", () => {
  const wanted = Array.from({ length: 40 }, (_, at): Wanted => {
    return { text: `word number ${at}`, at: [300 + 40 * Math.sin(at), 200 + 60 * Math.cos(2 * at)], needed: at < 4 };
  });
  const placed = placeLabels(wanted, 640, 400, widthOf);
  for (const { text } of wanted.slice(0, 4)) expect(placed.map((each) => each.text)).toContain(text);
  placed.forEach((one, at) =>
    placed.slice(0, at).forEach((other) => expect(overlap(one, other), `${one.text}, ${other.text}`).toBe(false)),
  );
  expect(placed.length).toBeGreaterThan(8);
});

test("points at the same position share a label", () => {
  const wanted: Wanted[] = [
    { text: "king", at: [100, 100], needed: true },
    { text: "king", at: [101, 100], needed: true },
    { text: "queen", at: [300, 200], needed: true },
  ];
  expect(placeLabels(wanted, 640, 400, widthOf).map((each) => each.text)).toEqual(["king = king", "queen"]);
});

test("a label above its point moves up, not down to the point, where there is no space", () => {
  const wanted: Wanted[] = [
    { text: "reader", at: [100, 100], needed: true, side: -1 },
    { text: "write - read + reader", at: [160, 100], needed: true, side: -1 },
  ];
  const [reader, target] = placeLabels(wanted, 280, 200, widthOf);
  expect(target!.y).toBeLessThan(reader!.y);
});

test("labels keep away from what is drawn over a point", () => {
  const wanted: Wanted[] = [
    { text: "king", at: [100, 100], needed: true, side: 1, radius: 13 },
    { text: "queen", at: [100, 126], needed: true },
  ];
  const [king] = placeLabels(wanted, 300, 200, widthOf);
  expect(Math.abs(king!.y - 100)).toBeGreaterThan(13);
});
