// The numbers behind the Input page's figures.

import type { ConcatenatedReply, NormsReply, PartsReply, WayCost } from "../../api/types.generated";
import { array, type Reply } from "../../lib/reply";
import { shortened, vectorTable, type Shown } from "../pipeline/tables";
import { lineOf } from "./facts";

/** A line for each dimension of one token: its row, what each part gives, the sum, and its norm. */
export function partTable(reply: Reply<PartsReply>, at: number): Shown {
  const names = [
    ...(reply.meta.scaled ? ["rows"] : []),
    ...reply.meta.parts,
    "total",
    ...(reply.arrays.output ? ["output"] : []),
  ];
  const shown: Record<string, string> = {
    rows: "row",
    tokens: "token",
    segments: "segment",
    positions: "position",
    total: "sum",
    output: "after LayerNorm",
  };
  return vectorTable(names.map((name) => [shown[name] ?? name, lineOf(reply, name, at)]));
}

/** A line for each way. */
export function costTable({ costs }: ConcatenatedReply): Shown {
  const ways = { added: "added", beside: "side by side", mapped: "side by side, mapped back" };
  const cost = (index: number) => costs[index] as WayCost;
  return {
    columns: [
      { name: "way" },
      { name: "width", kind: "whole" },
      { name: "position table of 512", kind: "whole" },
      { name: "numbers in the map", kind: "whole" },
      { name: "operations a token", kind: "whole" },
      { name: "a square matrix behind", kind: "whole" },
    ],
    count: costs.length,
    row: (index) => {
      const { way, width, position_parameters, parameters, operations, layer } = cost(index);
      return [ways[way], width, position_parameters, parameters, operations, layer];
    },
  };
}

/** A line for the mean row, and one for each token of the text. */
export function normTable(reply: Reply<NormsReply>): Shown {
  const { tokens, token_norm, position_norm, scale, rows } = reply.meta;
  const norms = rows === "table" ? Array.from(array(reply, "norms")) : [];
  const lines = [["the mean row", token_norm] as const, ...norms.map((norm, at) => [tokens[at] ?? "", norm] as const)];
  return {
    columns: [
      { name: "row" },
      { name: "norm", kind: "number" },
      { name: "norm × s", kind: "number" },
      { name: "position", kind: "number" },
      { name: "position : row × s", kind: "number" },
    ],
    count: lines.length,
    row: (index) => {
      const [name, norm] = lines[index]!;
      return [shortened(name), norm, norm * scale, position_norm, norm * scale ? position_norm / (norm * scale) : null];
    },
  };
}
