// The logits of a hidden state.

import type { LogitsReply } from "../../api/types.generated";
import type { Reply } from "../../lib/reply";

export type Answered = Reply<LogitsReply>;

/** How many decimals tell probabilities apart of which this is the largest. */
export const digitsOf = (largest: number): number =>
  Math.min(12, Math.max(4, 3 - Math.floor(Math.log10(largest || 1))));
