// The tables of a text's pieces, and of the gradient with and without tied weights.

import { array, type Reply } from "../../api/reply";
import type { Piece, TiedGradientReply } from "../../api/types.generated";
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
