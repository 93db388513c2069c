"""The routes of merges step by step: those of a tokenizer, or learned from the text, with all pairs at each step."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.files.byte_tokens import text_of_bytes
from rowspace.text import split_tokens
from rowspace.text.characters import clean
from rowspace_lab.experiments import Merge, trace_encoding
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.tokens import figures, pairs
from rowspace_lab.pages.tokens.replies import AdjacentPairsReply, MergesReply
from rowspace_lab.pages.tokens.sources import SOURCES, Source, source_of
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

_TO_MERGE = "the cat sat on the mat the cat"


def merges(lab: Lab, query: Query) -> MergesReply:
    """Return the merges of `text` by `tokenizer`, and the step of each symbol.

    "text" learns the merges from the text itself; `across` lets them cross spaces.
    """
    text = clean(query.text("text", _TO_MERGE))
    name, across = query.choice("tokenizer", ("text", *SOURCES), "text"), query.flag("across", False)
    source = None if name == "text" else source_of(lab, name)
    figure = partial(figures.merges_figure)
    if source is None:
        learned = partial(pairs.learned_merges, text=text, across=across)
        found, code = learned(), shown(lab, figure, found=learned)
    else:
        found = list(trace_encoding(text, source.tokenizer))
        encoded = partial(figures.encoding_merges, text=text)
        code = shown(lab, figure, opened=figures.opened(name), found=encoded)
    units = pairs.whole_text(text) if across else pairs.words_of(text)
    symbols = _symbols(text, source, units, found)
    data = [_utf8(symbol, source) for symbol, _ in symbols]
    left, right, merged = (
        [text_of_bytes(_utf8(getattr(merge, part), source)) for merge in found] for part in ("left", "right", "merged")
    )
    return {
        **figure(found),
        "text": text,
        "tokenizer": name,
        "merges": list(zip(left, right, merged, strict=True)),
        "joined": _ints([step for _, step in symbols]),
        "utf8": np.frombuffer(b"".join(data), np.uint8),
        "ends": np.cumsum(_ints([len(part) for part in data])),
        "begins": _begins(units, len(symbols)) if source is None else np.zeros(len(symbols), np.uint8),
        "code": code,
    }


def adjacent_pairs(lab: Lab, query: Query) -> AdjacentPairsReply:
    """Return the counts of all pairs of adjacent tokens of `text` after `step` merges, within words or `across`."""
    text, across = clean(query.text("text", _TO_MERGE)), query.flag("across", False)
    figure = partial(pairs.pairs_figure, text=text, across=across, step=query.integer("step", 0, low=0, high=1000))
    return {**figure(), "text": text, "across": across, "code": shown(lab, figure)}


def _symbols(text: str, source: Source | None, units: Sequence[str], found: Sequence[Merge]) -> list[tuple[str, int]]:
    """Return the symbols before all merges, each with the step that joins it to the one before it."""
    if found:
        return found[-1].joins
    tokens = "".join(units) if source is None else [p.token for p in split_tokens(text, source.tokenizer)]
    return [(token, 0) for token in tokens]


def _utf8(token: str, source: Source | None) -> bytes:
    """Return the UTF-8 bytes of a token."""
    number = None if source is None else source.ids.get(token)
    data = None if source is None or number is None else source.tokenizer.token_bytes(number)
    return token.encode(errors="replace") if data is None else data


def _begins(units: Sequence[str], num_symbols: int) -> NDArray[np.uint8]:
    """Mark the first character of each unit that merges do not cross."""
    begins = np.zeros(num_symbols + 1, np.uint8)
    begins[np.cumsum([0, *map(len, units)])[:-1]] = 1
    return begins[:num_symbols]


def _ints(values: Sequence[int]) -> NDArray[Any]:
    return np.array(values, np.int64)


ROUTES: Mapping[str, Handler] = {"tokens/merges": merges, "tokens/pairs": adjacent_pairs}
