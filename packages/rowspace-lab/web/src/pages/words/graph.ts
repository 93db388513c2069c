// The graph whose nodes a table has.

import { array, type Reply } from "../../api/reply";
import type { GraphReply } from "../../api/types.generated";

export interface Graph {
  nodes: readonly string[];
  /** Pairs of ids. */
  ends: ArrayLike<number>;
}

/** The graph of a reply; undefined if the table has none. */
export function graphOf(reply: Reply<GraphReply> | undefined): Graph | undefined {
  return reply?.meta.nodes.length ? { nodes: reply.meta.nodes, ends: array(reply, "ids") } : undefined;
}

/** The nodes that have an edge to a node, in order of the table. */
export function joinedTo({ nodes, ends }: Graph, node: string): string[] {
  const id = nodes.indexOf(node);
  const found = new Set<number>();
  for (let at = 0; at + 1 < ends.length; at += 2) {
    const [one, other] = [ends[at]!, ends[at + 1]!];
    if (one === id) found.add(other);
    if (other === id) found.add(one);
  }
  return [...found].sort((one, other) => one - other).map((other) => nodes[other]!);
}

/** The edges of a node, as pairs of ids. */
export function edgesOf(graph: Graph, node: string): number[] {
  const id = graph.nodes.indexOf(node);
  return joinedTo(graph, node).flatMap((other) => [id, graph.nodes.indexOf(other)]);
}

/** The edges between some nodes, as pairs of places in their list. */
export function edgesAmong({ nodes, ends }: Graph, some: readonly string[]): number[] {
  const place = new Map(some.map((node, at) => [node, at]));
  const places = Array.from(ends, (id) => place.get(nodes[id]!));
  return places.flatMap((one, at) => {
    const other = places[at + 1];
    return at % 2 === 0 && one !== undefined && other !== undefined ? [one, other] : [];
  });
}
