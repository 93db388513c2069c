"""Tokens in the order of their ids, which a table's rows have; and how many threads the `tokenizers` library takes.

Left out: opening (opening.py), training (training.py), encoding a corpus (encode_tokens.py).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from tokenizers import Tokenizer

from rowspace.errors import FileFormatError

__all__ = ["library_threads", "tokens_of"]

_PARALLEL = "TOKENIZERS_PARALLELISM"


def tokens_of(tokenizer: Tokenizer) -> list[str]:
    """Return the tokens in the order of their ids; raises FileFormatError where these are not 0 to V-1.

    >>> from tokenizers.models import WordLevel
    >>> tokens_of(Tokenizer(WordLevel({"b": 1, "a": 0})))
    ['a', 'b']
    """
    ids: dict[str, int] = tokenizer.get_vocab(with_added_tokens=True)
    tokens = sorted(ids, key=ids.__getitem__)
    wrong = next((place for place, token in enumerate(tokens) if ids[token] != place), None)
    if wrong is not None:
        raise FileFormatError(
            f"the tokenizer's {len(ids):,} ids are not 0 to {len(ids) - 1:,}, one for each row of a table: "
            f"{tokens[wrong]!r} has {ids[tokens[wrong]]} where {wrong} is next; number its tokens without gaps"
        )
    return tokens


@contextmanager
def library_threads(*, several: bool) -> Iterator[None]:
    """Let the library use all cores in a block, or only the thread that calls it; it asks the environment each time."""
    before = os.environ.get(_PARALLEL)
    os.environ[_PARALLEL] = str(several).lower()
    try:
        yield
    finally:
        del os.environ[_PARALLEL]
        if before is not None:
            os.environ[_PARALLEL] = before
