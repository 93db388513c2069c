// The table of a text's pieces.

import type { Piece } from "../../api/types.generated";
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
