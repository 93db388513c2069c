// Moves an element of a list.

/** A list with one element moved to another place. */
export function reordered(order: readonly number[], from: number, to: number): number[] {
  const rest = order.filter((_, at) => at !== from);
  return [...rest.slice(0, to), order[from] as number, ...rest.slice(to)];
}
