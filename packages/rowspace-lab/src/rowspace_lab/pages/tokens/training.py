"""The routes of what trains a row: the frequent words that share a piece, and what the vocabulary size changes."""

from collections.abc import Mapping
from functools import cache, partial

from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.tokens import figures
from rowspace_lab.pages.tokens.corpus import frequent_words, sample_corpus
from rowspace_lab.pages.tokens.replies import SharingReply, TradeoffNumbers, TradeoffReply
from rowspace_lab.pages.tokens.sharing import sharing_figure
from rowspace_lab.pages.tokens.sources import cut_of
from rowspace_lab.pages.tokens.splits import read_split
from rowspace_lab.pages.tokens.tradeoff import Corpus, tradeoff_figure
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

_FREQUENT = 4000  # words
_NAMED = 5  # for each piece
_SIZES = (256, 512, 1024, 2048, 4096, 8192)


def sharing(lab: Lab, query: Query) -> SharingReply:
    """Return the other frequent words that each token of `text` is a piece of, at each of the `sizes`."""
    name, text, sizes = read_split(lab, query)
    cuts = [cut_of(lab, name, size) for size in sizes]
    words, figure = partial(frequent_words, limit=_FREQUENT), partial(sharing_figure, text=text, k=_NAMED)
    code = shown(
        lab,
        figure,
        opened=figures.opened(name),
        cuts=partial(figures.cut_to_sizes, sizes=sizes),
        corpus=partial(sample_corpus),
        words=words,
    )
    found = figure([(cut.tokenizer, cut.counts) for cut in cuts], _frequent())
    return {**found, "text": text, "tokenizer": name, "code": code}


def tradeoff(lab: Lab, query: Query) -> TradeoffReply:
    """Return what the vocabulary size changes, for a table with `dim` numbers in each row."""
    dim = query.integer("dim", lab.table.dim, low=1, high=1 << 20)
    figure = partial(tradeoff_figure, sizes=_SIZES, dim=dim)
    measured = _measured()
    return {
        **measured,
        "table_bytes": measured["sizes"] * dim * 4.0,
        "dim": dim,
        "code": shown(lab, figure, corpus=partial(sample_corpus)),
    }


@cache
def _corpus() -> Corpus:
    return sample_corpus()


@cache
def _frequent() -> list[str]:
    return frequent_words(_corpus(), limit=_FREQUENT)


@cache
def _measured() -> TradeoffNumbers:
    return tradeoff_figure(_corpus(), sizes=_SIZES, dim=1)


ROUTES: Mapping[str, Handler] = {"tokens/words": sharing, "tokens/tradeoff": tradeoff}
