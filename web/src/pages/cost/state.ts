// A window on a matrix: which rows and columns are in view, moved and zoomed without leaving it.

export interface View {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** The fewest rows and columns that a zoom leaves in view. */
export const NEAREST = { rows: 12, columns: 8 };

/** Zoom by a factor (below 1: nearer) about a point, each from 0 to 1 across the view. */
export function zoomed(view: View, factor: number, x: number, y: number, rows: number, columns: number): View {
  const [top, bottom] = span(view.top, view.bottom, factor, y, Math.min(rows, NEAREST.rows), rows);
  const [left, right] = span(view.left, view.right, factor, x, Math.min(columns, NEAREST.columns), columns);
  return { top, bottom, left, right };
}

/** Move by shares of the view. */
export function moved(view: View, x: number, y: number, rows: number, columns: number): View {
  const [top, bottom] = shifted(view.top, view.bottom, y, rows);
  const [left, right] = shifted(view.left, view.right, x, columns);
  return { top, bottom, left, right };
}

function span(
  first: number,
  end: number,
  factor: number,
  about: number,
  least: number,
  most: number,
): [number, number] {
  const size = Math.max(least, Math.min(most, Math.round((end - first) * factor)));
  const from = Math.round(first + about * (end - first - size));
  return within(from, size, most);
}

function shifted(first: number, end: number, share: number, most: number): [number, number] {
  const by = share * (end - first);
  return within(first + (by > 0 ? Math.ceil(by) : Math.floor(by)), end - first, most);
}

function within(from: number, size: number, most: number): [number, number] {
  const first = Math.max(0, Math.min(most - size, from));
  return [first, first + size];
}
