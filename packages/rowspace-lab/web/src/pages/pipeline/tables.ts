// The tables of a text's pieces, of the gradient with and without tied weights, and of the steps of an optimizer.

import { array, type Reply } from "../../api/reply";
import type { Piece, StepsReply, TiedGradientReply } from "../../api/types.generated";
import { shortened, type Shown } from "../../components/tables";

/** A row per piece of a text. */
export function pieceTable(pieces: Piece[]): Shown {
  return {
    columns: [{ name: "text" }, { name: "token", kind: "token" }, { name: "id", kind: "whole" }, { name: "row" }],
    count: pieces.length,
    row: (index) => {
      const piece = pieces[index] as Piece;
      return [shortened(piece.text), piece.token, piece.row ? piece.id : null, piece.row ? "yes" : "none"];
    },
  };
}

/** A row per range of rows of the table. */
export function tiedTable(reply: Reply<TiedGradientReply>): Shown {
  const [edges, untied, tied] = [array(reply, "edges"), array(reply, "untied"), array(reply, "tied")];
  return {
    columns: [
      { name: "from row", kind: "whole" },
      { name: "to row", kind: "whole" },
      { name: "untied", kind: "number", digits: 6 },
      { name: "tied", kind: "number", digits: 6 },
    ],
    count: untied.length,
    row: (index) => [edges[index] ?? 0, (edges[index + 1] ?? 0) - 1, untied[index] ?? null, tied[index] ?? null],
  };
}

/** A row per row of the table, with a column per step. */
export function stepTable(reply: Reply<StepsReply>): Shown {
  const { names, texts } = reply.meta;
  const distances = array(reply, "distances");
  return {
    columns: [
      { name: "row", kind: "token" },
      ...texts.map((_, step) => ({ name: `step ${step + 1}`, kind: "number" as const, digits: 5 })),
    ],
    count: names.length,
    row: (index) => [names[index] ?? "", ...texts.map((_, step) => distances[step * names.length + index] ?? null)],
  };
}
