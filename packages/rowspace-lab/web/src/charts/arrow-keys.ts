// Moves by arrow keys in a focused figure. Handled keys do not scroll the page; for others the result is undefined.

interface Cell {
  row: number;
  column: number;
}

/** The next index in a list after ← or →; the first if there was none. */
export function stepped(event: KeyboardEvent, from: number | null, count: number): number | undefined {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined) return undefined;
  event.preventDefault();
  return within(from === null ? 0 : from + by, count);
}

/** The next cell in a grid. */
export function moved(event: KeyboardEvent, from: Cell, rows: number, columns: number): Cell | undefined {
  const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!by) return undefined;
  event.preventDefault();
  return { row: within(from.row + by[0]!, rows), column: within(from.column + by[1]!, columns) };
}

/** Clamp an index to a list. */
export function within(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index));
}
