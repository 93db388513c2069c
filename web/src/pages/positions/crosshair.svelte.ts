// The one crosshair of the page: a query's position, a key's, and a dimension of their rows.

import type { Cell } from "../../charts/heatmap";

export class Crosshair {
  query = $state<number | null>(null);
  key = $state(0);
  dimension = $state(0);

  /** In a map of position by dimension. */
  get row(): Cell | null {
    return this.query === null ? null : { row: this.query, column: this.dimension };
  }
  set row(cell: Cell | null) {
    this.query = cell && cell.row;
    if (cell) this.dimension = cell.column;
  }

  /** In a map of query by key. */
  get pair(): Cell | null {
    return this.query === null ? null : { row: this.query, column: this.key };
  }
  set pair(cell: Cell | null) {
    this.query = cell && cell.row;
    if (cell) this.key = cell.column;
  }

  /** On a curve over offsets, key - query; set, it moves the key, and the query where the text would end. */
  get offset(): number | null {
    return this.query === null ? null : this.key - this.query;
  }
  move(wanted: number | null, length: number): void {
    if (wanted === null) return void (this.query = null);
    const offset = Math.max(1 - length, Math.min(length - 1, wanted));
    const from = this.query ?? Math.floor(length / 2);
    this.query = Math.max(0, -offset, Math.min(length - 1, length - 1 - offset, from));
    this.key = this.query + offset;
  }
}
