// The result of each view in one line.

import { array, type Reply } from "../../api/reply";
import type {
  AdjacentPairsReply,
  ComparisonReply,
  MergesReply,
  SplitsReply,
  TradeoffReply,
} from "../../api/types.generated";
import { decimal, whole } from "../../format";
import type { VIEWS } from "./state";

interface Replies {
  split: { reply?: Reply<SplitsReply> };
  merges: { reply?: Reply<MergesReply> };
  pairs?: { reply?: Reply<AdjacentPairsReply> };
  comparison: { reply?: Reply<ComparisonReply> };
  tradeoff: { reply?: Reply<TradeoffReply> };
}

export function resultOf(view: (typeof VIEWS)[number], replies: Replies): string {
  const { split, merges, pairs, comparison, tradeoff } = replies;
  if (view === "sizes")
    return (split.reply?.meta.splits ?? [])
      .map((each) => `${whole(each.size)} tokens: ${whole(each.tokens.length)} pieces`)
      .join(" · ");
  if (view === "merges")
    return `${whole(merges.reply?.meta.merges.length)} merges${pairs?.reply ? `, ${whole(pairs.reply.meta.num_tokens)} tokens and ${whole(pairs.reply.meta.pairs.length)} different pairs now` : ""}`;
  if (view === "compare")
    return (comparison.reply?.meta.tokenizers ?? [])
      .map((each) => `${each.title}: ${each.split ? `${whole(each.split.tokens.length)} pieces` : "not opened"}`)
      .join(" · ");
  if (!tradeoff.reply) return "";
  const [sizes, perWord] = [array(tradeoff.reply, "sizes"), array(tradeoff.reply, "tokens_per_word")];
  const at = [0, sizes.length - 1];
  return at.map((place) => `V ${whole(sizes[place])}: ${decimal(perWord[place], 2)} tokens per word`).join(" · ");
}
