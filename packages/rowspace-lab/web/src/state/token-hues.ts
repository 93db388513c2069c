// One color for each token, the same on all pages for as long as the workbench is open: --class-1 to --class-8 of tokens.css.

const COLORS = 8;
const numbers = new Map<string, number>();

/** The number of each token's color, from 1; new tokens get the colors that the others of this text use least. */
export function huesOf(tokens: readonly string[]): number[] {
  for (const token of tokens) if (!numbers.has(token)) numbers.set(token, leastUsed(tokens));
  return tokens.map((token) => numbers.get(token)!);
}

function leastUsed(tokens: readonly string[]): number {
  const used = (found: Iterable<number | undefined>): number[] => {
    const times = Array<number>(COLORS).fill(0);
    for (const number of found) if (number) times[number - 1]!++;
    return times;
  };
  const [here, everywhere] = [used([...new Set(tokens)].map((token) => numbers.get(token))), used(numbers.values())];
  const order = here.map((_, color) => color).sort((a, b) => here[a]! - here[b]! || everywhere[a]! - everywhere[b]!);
  return order[0]! + 1;
}
