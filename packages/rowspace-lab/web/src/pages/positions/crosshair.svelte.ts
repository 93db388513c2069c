// The crosshair that all figures share: positions of query and key, and a dimension.

import type { Cell } from "../../charts/heatmap";

export class Crosshair {
  query = $state<number | null>(null);
  key = $state(0);
  dimension = $state(0);

  /** The cell in a heat map of position by dimension. */
  get row(): Cell | null {
    return this.query === null ? null : { row: this.query, column: this.dimension };
  }
  set row(cell: Cell | null) {
    this.query = cell && cell.row;
    if (cell) this.dimension = cell.column;
  }

  /** The cell in a heat map of query by key. */
  get pair(): Cell | null {
    return this.query === null ? null : { row: this.query, column: this.key };
  }
  set pair(cell: Cell | null) {
    this.query = cell && cell.row;
    if (cell) this.key = cell.column;
  }

  /** The offset key - query. */
  get offset(): number | null {
    return this.query === null ? null : this.key - this.query;
  }
  /** Move the key to an offset from the query, and the query if the key would leave the text. */
  move(wanted: number | null, length: number): void {
    if (wanted === null) return void (this.query = null);
    const offset = Math.max(1 - length, Math.min(length - 1, wanted));
    const from = this.query ?? Math.floor(length / 2);
    this.query = Math.max(0, -offset, Math.min(length - 1, length - 1 - offset, from));
    this.key = this.query + offset;
  }
}
