"""The route of the Order page that ranks tokens by cosine and by the product of query and key."""

from collections.abc import Mapping
from functools import partial

from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.order.head_choice import choose_head
from rowspace_lab.pages.order.replies import RankingReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.default_words import default_words
from rowspace_lab.shared.directions import check_direction
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

WORDS = ("dog", "cat", "king", "write", "the")


@needs_torch
def ranking(lab: Lab, query: Query) -> RankingReply:
    """Return the `k` tokens nearest to `word` by cosine, and those that its query ranks first."""
    from rowspace_lab.pages.order.figures import ranking_figure

    word = query.text("word", default_words(lab.table, 1, WORDS)[0])
    check_direction(lab.table, word, lab.table[word])
    head, call, fields = choose_head(lab, query)
    figure = partial(ranking_figure, word=word, k=query.integer("k", 10, low=1, high=100))
    found = figure(lab.table, head)
    return {
        **found,
        **fields,
        "word": word,
        "cosine_tokens": [lab.table.vocabulary[number] for number in found["by_cosine"]],
        "product_tokens": [lab.table.vocabulary[number] for number in found["by_product"]],
        "code": shown(lab, figure, head=call),
    }


ROUTES: Mapping[str, Handler] = {"order/ranking": ranking}
