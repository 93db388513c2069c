import { describe, expect, it } from "vitest";
import type { ArenaEntry, ArenaTask } from "../../api/types.generated";
import { barsOf, markOf, splitVerdict, written } from "./cells";

const TASK: ArenaTask = {
  name: "next-bytes", measure: "bits per byte", lower: true, baseline: 5, classes: 0, winner: null, train_inputs: 1,
  test_inputs: 1,
}; // prettier-ignore
const entry = (quality: number | null, more: Partial<ArenaEntry> = {}): ArenaEntry => ({
  task: "next-bytes", strategy: "bytes", quality, spread: quality === null ? null : 0.1, spread_over: "seeds",
  seeds: 3, status: "learned", failed: [], ...more,
}); // prettier-ignore

describe("bars", () => {
  it("are longer for fewer bits, and go to the left of the baseline for more", () => {
    const [best, good, worse, none] = barsOf(TASK, [entry(3), entry(4), entry(5.5), entry(null)]);
    expect(best!.end - best!.start).toBeCloseTo(2 * (good!.end - good!.start));
    expect(worse!.end).toBeLessThan(worse!.start);
    expect([best!.start, good!.start, worse!.start]).toEqual(Array(3).fill(best!.start));
    expect(none).toBeNull();
  });
  it("are longer for a higher accuracy, and stay inside with their whiskers", () => {
    const bars = barsOf({ ...TASK, lower: false, baseline: 0.1 }, [entry(0.9), entry(0.05)]);
    expect(bars[0]!.end).toBeGreaterThan(bars[1]!.end);
    for (const bar of bars) expect(bar!.low).toBeGreaterThan(0);
    for (const bar of bars) expect(bar!.high).toBeLessThan(1);
  });
});

describe("numbers and marks", () => {
  it("have the unit of the task", () => {
    expect(written(2.5, 0.0124, true)).toBe("2.500 ± 0.012");
    expect(written(0.45, 0.05, false)).toBe("45.0 ± 5.0 %");
    expect(written(null, null, false)).toBe("– %");
  });
  it("tell what waits from what failed", () => {
    const nothing = { status: "not finished", seeds: 0 };
    expect(markOf(entry(3), 3, false)).toBe("");
    expect(markOf(entry(3, { status: "not learned in this budget" }), 3, false)).toBe("not learned");
    expect(markOf(entry(3, { status: "diverged" }), 3, false)).toBe("diverged");
    expect(markOf(entry(null, { ...nothing, failed: ["not run"] }), 3, true)).toBe("waiting");
    expect(markOf(entry(null, { ...nothing, failed: ["not run"] }), 3, false)).toBe("not run");
    expect(markOf(entry(null, { ...nothing, failed: ["killed"] }), 3, true)).toBe("failed");
    expect(markOf(entry(3, { status: "not finished", seeds: 2, failed: ["not run"] }), 3, true)).toBe("2 of 3 runs");
  });
});

it("splits a verdict after its first sentence, and not inside a number", () => {
  const others = "On next-bytes, bpe (3.254 ± 0.036) wins before bytes (3.368 ± 0.018).";
  expect(splitVerdict(`No strategy wins all 4 tasks. ${others}`)).toEqual(["No strategy wins all 4 tasks.", others]);
  expect(splitVerdict("bpe wins the only task.")).toEqual(["bpe wins the only task.", ""]);
});
