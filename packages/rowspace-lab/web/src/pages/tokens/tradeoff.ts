// The measurements by vocabulary size as curves and as a table.

import { array, type Reply } from "../../api/reply";
import type { TradeoffReply } from "../../api/types.generated";
import type { Series } from "../../charts/Curves.svelte";
import type { Shown } from "../../components/tables";
import { bytes, compact, decimal, percent, whole } from "../../format";

interface Measure {
  name: string;
  /** The array of the reply, and the row in it: 0 for BPE, 1 for words. */
  array: string;
  row?: 0 | 1;
  write: (value: number) => string;
  color?: number;
}

const MEASURES: readonly Measure[] = [
  { name: "tokens per word", array: "tokens_per_word", row: 0, write: (value) => decimal(value, 2) },
  { name: "attention scores per 1,000 words", array: "scores", row: 0, write: compact },
  { name: "table", array: "table_bytes", write: bytes },
  { name: "median count of a row", array: "median_counts", row: 0, write: whole },
  { name: "text that words cannot write", array: "unwritten", row: 1, write: (value) => percent(value) },
  { name: "text that BPE cannot write", array: "unwritten", row: 0, write: (value) => percent(value), color: 8 },
];

/** The values of a measure at each size. */
function valuesOf(reply: Reply<TradeoffReply>, { array: name, row = 0 }: Measure): number[] {
  const [values, count] = [array(reply, name), array(reply, "sizes").length];
  return Array.from(values.subarray(row * count, (row + 1) * count));
}

/** A curve per measure, as shares of its largest value; `written` are the values themselves. */
export function tradeoffCurves(reply: Reply<TradeoffReply>): (Series & { written: string[] })[] {
  const x = array(reply, "sizes");
  return MEASURES.map((measure) => {
    const values = valuesOf(reply, measure);
    const top = Math.max(...values.filter(Number.isFinite)) || 1;
    return {
      name: measure.name,
      x,
      color: measure.color,
      y: values.map((value) => (100 * value) / top),
      written: values.map((value) => (Number.isFinite(value) ? measure.write(value) : "–")),
    };
  });
}

/** A row per size. */
export function tradeoffTable(reply: Reply<TradeoffReply>): Shown {
  const sizes = array(reply, "sizes");
  const words: Measure = { name: "", array: "median_counts", row: 1, write: whole };
  const columns = [...MEASURES, words].map((measure) => valuesOf(reply, measure).map(orNull));
  return {
    columns: [
      { name: "V", kind: "whole" },
      { name: "tokens per word", kind: "number", digits: 2 },
      { name: "scores", kind: "whole" },
      { name: "table bytes", kind: "whole" },
      { name: "median count", kind: "whole" },
      { name: "words cannot write", kind: "number", digits: 3 },
      { name: "BPE cannot write", kind: "number", digits: 3 },
      { name: "median count, words", kind: "whole" },
    ],
    count: sizes.length,
    row: (index) => [sizes[index] ?? null, ...columns.map((column) => column[index] ?? null)],
  };
}
const orNull = (value: number) => (Number.isFinite(value) ? value : null);
