import { expect, test } from "vitest";
import { edgesAmong, joinedTo } from "./graph";

const graph = { nodes: ["a", "b", "c", "d"], ends: [2, 0, 0, 1, 3, 2] };

test("the nodes at the other ends of the edges of a node", () => {
  expect(joinedTo(graph, "a")).toEqual(["b", "c"]);
  expect(joinedTo(graph, "d")).toEqual(["c"]);
  expect(joinedTo(graph, "e")).toEqual([]);
});

test("the edges among some nodes only", () => {
  expect(edgesAmong(graph, ["d", "c", "b"])).toEqual([0, 1]);
});
