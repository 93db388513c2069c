import { describe, expect, it } from "vitest";
import { destinationOf, readPlace, sameState, writePlace } from "./lesson";

describe("the URL of a lesson", () => {
  it("keeps parameters of the page that have the names of the lesson's own", () => {
    const place = { step: 2, figure: "tokens", search: "?step=40&page=3&text=the+cat" };
    const written = writePlace(place);
    expect(written).toBe("?step=2&page=tokens&step=40&page=3&text=the+cat");
    expect(readPlace(written)).toEqual(place);
  });

  it.each(["", "?step=0", "?step=-1", "?step=1.5", "?step=two"])("has no step in %s", (search) => {
    expect(readPlace(search).step).toBe(0);
  });

  it("keeps repeated parameters", () => {
    expect(readPlace("?step=1&page=words&word=cat&word=dog").search).toBe("?word=cat&word=dog");
  });
});

describe("sameState", () => {
  it("ignores the order and the encoding of parameters", () => {
    expect(sameState("?text=the+cat&stage=2", "?stage=2&text=the%20cat")).toBe(true);
    expect(sameState("?stage=2", "?stage=3")).toBe(false);
  });
});

describe("destinationOf", () => {
  it("separates the table from the state", () => {
    const url = new URL("http://127.0.0.1/order?table=six-words&view=waves");
    expect(destinationOf(url)).toEqual({ path: "order", table: "six-words", search: "?view=waves" });
    expect(destinationOf(new URL("/lessons/3", url))).toEqual({ path: "lessons/3", table: undefined, search: "" });
  });
});
