"""How much of a text is in tokens that have a row, so that its vector says what the text says."""

import re

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.contextual_encoder import ContextualEncoder
from rowspace.encode.encoder import ADDITIVE
from rowspace.search.storage.vectors import AnyEncoder

__all__ = ["known_share", "known_share_of"]

_WORD = re.compile(r"[^\W_]+")
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")


def known_share_of(text: str, encoder: AnyEncoder) -> float:
    """Return the share of a text's letters that its vector is made of, from 0 to 1; see `known_share`.

    It is 1 with poolings whose tokens have no shares.
    """
    if isinstance(encoder, ContextualEncoder):
        return known_share(text, encoder.known_spans(text))
    if encoder.options.pooling not in ADDITIVE:
        return 1.0
    found = encoder.token_rows(text)
    return known_share(text, found.spans[np.any(found.rows, axis=1)])


def known_share(text: str, spans: NDArray[np.int64]) -> float:
    """Return the share of a text's letters and digits that are in known tokens.

    A table of one language divides words of others into single letters, which mean nothing: they are not known, except
    where they are whole words or Chinese characters.

    Args:
        text: The text.
        spans: (n, 2) where its tokens with a row begin and end.

    >>> known_share("red x кот", np.array([[0, 3], [4, 5], [6, 7], [7, 8], [8, 9]]))
    0.5714285714285714
    """
    words = {match.span() for match in _WORD.finditer(text)}
    known = bytearray(len(text))
    for begin, end in spans.tolist():
        token = text[begin:end].strip()
        if len(token) > 1 or (begin, end) in words or _IDEOGRAPH.match(token):
            known[begin:end] = b"1" * (end - begin)
    letters = [is_known > 0 for letter, is_known in zip(text, known, strict=True) if letter.isalnum()]
    return sum(letters) / len(letters) if letters else 0.0
