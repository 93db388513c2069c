// Tables of the Input page.

import { array, type Reply } from "../../api/reply";
import type { ConcatenatedReply, InitialReply, NormsReply, PartsReply, WayCost } from "../../api/types.generated";
import { shortened, vectorTable, type Shown } from "../../components/tables";
import { lineOf } from "./state";

/** A row per dimension of one token: its parts and their sum. */
export function partTable(reply: Reply<PartsReply>, at: number): Shown {
  const names = [
    ...(reply.meta.scaled ? ["rows"] : []),
    ...reply.meta.parts,
    "total",
    ...(reply.arrays.output ? ["output"] : []),
    ...(reply.arrays.dropped ? ["dropped"] : []),
  ];
  const shown: Record<string, string> = {
    rows: "row",
    tokens: "token",
    segments: "segment",
    positions: "position",
    total: "sum",
    output: "after LayerNorm",
    dropped: "after dropout",
  };
  return vectorTable(names.map((name) => [shown[name] ?? name, lineOf(reply, name, at)]));
}

/** A row per way to combine row and position. */
export function costTable({ costs }: ConcatenatedReply): Shown {
  const ways = { added: "sum", concatenated: "concatenation", mapped: "concatenation, projected" };
  const cost = (index: number) => costs[index] as WayCost;
  return {
    columns: [
      { name: "way" },
      { name: "width", kind: "whole" },
      { name: "positions (512)", kind: "whole" },
      { name: "projection", kind: "whole" },
      { name: "FLOP per token", kind: "whole" },
      { name: "next square matrix", kind: "whole" },
    ],
    count: costs.length,
    row: (index) => {
      const { way, width, position_parameters, parameters, operations, layer } = cost(index);
      return [ways[way], width, position_parameters, parameters, operations, layer];
    },
  };
}

/** The mean over all rows, and a line per token of the text. */
export function normTable(reply: Reply<NormsReply>): Shown {
  const { tokens, token_norm, position_norm, scale, rows } = reply.meta;
  const norms = rows === "table" ? Array.from(array(reply, "norms")) : [];
  const lines = [
    [rows === "example" ? "the row" : "mean of all rows", token_norm] as const,
    ...norms.map((norm, at) => [tokens[at] ?? "", norm] as const),
  ];
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

/** A line for each standard deviation: the chosen one and the usual ones. */
export function initialTable({ usual, ...chosen }: InitialReply): Shown {
  const names = ["1, as in torch.nn.Embedding", "1/√d", "0.02, as in BERT and GPT-2"];
  const lines = [["chosen", chosen] as const, ...usual.map((each, at) => [names[at] ?? "", each] as const)];
  return {
    columns: [
      { name: "initial rows" },
      { name: "σ", kind: "number" },
      { name: "σ of the logits", kind: "number" },
      { name: "largest probability", kind: "number" },
      { name: "first loss", kind: "number" },
      { name: "± standard error", kind: "number" },
    ],
    count: lines.length,
    row: (index) => {
      const [name, { std, logit_std, top, loss, error }] = lines[index]!;
      return [name, std, logit_std, top, loss, error];
    },
  };
}
