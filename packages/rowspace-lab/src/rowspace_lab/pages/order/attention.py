"""The routes of the Order page about attention: a sentence in two orders, and the scale of its scores."""

from collections.abc import Mapping
from functools import partial

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.order.head_choice import choose_head
from rowspace_lab.pages.order.replies import AttentionReply, SaturationReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.default_words import default_words
from rowspace_lab.shared.figure import shown
from rowspace_lab.shared.position_kinds import check_width
from rowspace_lab.shared.sentence import known_sentence

__all__ = ["ROUTES"]

EXAMPLES = ("dog bites man", "dog bit man", "dog sat on cat", "the king saw the queen", "write the list")
MAX_TOKENS = 12  # tokens
DRAWS, KEYS = 2000, 16


@needs_torch
def attention(lab: Lab, query: Query) -> AttentionReply:
    """Attend to `text` and to its tokens in another `order`, by `scheme` and `causal`, with a head."""
    from rowspace_lab.pages.order import figures

    check_width(lab.table.dim)
    words = " ".join(default_words(lab.table, 3))
    sentence = known_sentence(lab, query, examples=(*EXAMPLES, words), limit=MAX_TOKENS)
    count = len(sentence.ids)
    head, call, fields = choose_head(lab, query)
    schemes = figures.available_schemes(head, count=count)
    scheme = query.choice("scheme", figures.SCHEMES)
    if scheme not in schemes:
        raise UsageError(f"{scheme} does not fit this head and text; use one of {', '.join(schemes)}")
    order = query.integers("order", range(count)[::-1], low=0, high=MAX_TOKENS - 1, limit=MAX_TOKENS)
    if sorted(order) != list(range(count)):
        raise UsageError(f"order must have each of the places 0 to {count - 1} once, not {order}")
    causal = query.flag("causal", False)
    figure = partial(figures.attention_figure, order=order, scheme=scheme, causal=causal)
    return {
        **figure(lab.table, sentence.ids, head),
        **fields,
        **sentence.fields,
        "order": order,
        "scheme": scheme,
        "causal": causal,
        "code": shown(lab, figure, ids=sentence.call, head=call),
    }


@needs_torch
def saturation(lab: Lab, query: Query) -> SaturationReply:
    """Return the spread of q·k and the 16 softmax weights by d_k, from 2,000 draws with `seed`."""
    from rowspace_lab.pages.order.saturation import saturation_figure

    seed = query.integer("seed", 0, low=0, high=2**31 - 1)
    figure = partial(saturation_figure, seed=seed, draws=DRAWS, keys=KEYS)
    return {**figure(), "seed": seed, "draws": DRAWS, "keys": KEYS, "code": shown(lab, figure)}


ROUTES: Mapping[str, Handler] = {"order/attention": attention, "order/saturation": saturation}
