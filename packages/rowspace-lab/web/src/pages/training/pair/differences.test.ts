import { expect, test } from "vitest";
import { differences, variantOf } from "./differences";

test("a second run is one of the variants, or has a number of the user", () => {
  expect(variantOf(differences("python").width, "dim-64")).toEqual({ run: "dim-64", name: "64" });
  expect(variantOf(differences("python").width, "dim-24")).toEqual({ run: "dim-24", name: "24" });
  expect(variantOf(differences("python").start, "std-0.5")?.name).toBe("0.5");
});

test("any other name means the first variant", () => {
  for (const name of ["", "dim-", "dim-x", "std-1", "dim-1/0"])
    expect(variantOf(differences("python").width, name)?.run).toBe("dim-4");
  expect(variantOf(differences("python").tying, "dim-24")?.run).toBe("untied");
});
