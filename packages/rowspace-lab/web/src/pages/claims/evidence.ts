// The links in the evidence, and the spread of a measurement over seeds.

/** What a link of the evidence opens: a page, its state, and the table that it names, if any. */
export interface Target {
  page: string;
  search: string;
  table?: string;
}

/** The target of a link inside the workbench; undefined for a link that leaves it. */
export function targetOf(link: string): Target | undefined {
  const href = link.replace(/^#/, ""); // of an exported site
  if (!href.startsWith("/") || href.startsWith("//")) return undefined;
  const url = new URL(href, "http://workbench");
  const table = url.searchParams.get("table") ?? undefined;
  url.searchParams.delete("table");
  return { page: url.pathname.slice(1), search: url.search, table };
}

/** The mean, the lowest and the highest value of each column of (rows, columns), over the rows that have one. */
export function spreadOf(values: ArrayLike<number>, columns: number): [mean: number[], low: number[], high: number[]] {
  const spread: [number[], number[], number[]] = [[], [], []];
  for (let column = 0; column < columns; column++) {
    const known = Array.from(values).filter((value, at) => at % columns === column && Number.isFinite(value));
    spread[0].push(known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : NaN);
    spread[1].push(known.length ? Math.min(...known) : NaN);
    spread[2].push(known.length ? Math.max(...known) : NaN);
  }
  return spread;
}
