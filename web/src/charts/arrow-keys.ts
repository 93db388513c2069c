// Where the arrow keys lead in a drawing that has the focus. A key that leads somewhere is taken, so that the page does
// not scroll by it; for any other there is no answer.

interface Cell {
  row: number;
  column: number;
}

/** By ← and → from a place among so many; to the first from nowhere. */
export function stepped(event: KeyboardEvent, from: number | null, count: number): number | undefined {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined) return undefined;
  event.preventDefault();
  return within(from === null ? 0 : from + by, count);
}

/** By all four over rows and columns. */
export function moved(event: KeyboardEvent, from: Cell, rows: number, columns: number): Cell | undefined {
  const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!by) return undefined;
  event.preventDefault();
  return { row: within(from.row + by[0]!, rows), column: within(from.column + by[1]!, columns) };
}

/** The place among so many that is nearest to this one. */
export function within(place: number, count: number): number {
  return Math.max(0, Math.min(count - 1, place));
}
