"""The `tokenizers` library, as the rest of this folder needs it: opening, its tokens in order, its threads.

Left out: training (training.py), encoding a corpus (encode_tokens.py).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tokenizers import Tokenizer

from rowspace.errors import FileFormatError

__all__ = ["library_threads", "read_tokenizer", "tokens_of"]

_FILE = "tokenizer.json"
_PARALLEL = "TOKENIZERS_PARALLELISM"


def read_tokenizer(path: str | os.PathLike[str]) -> Tokenizer:
    """Open a tokenizer.json, or the one in a folder; raises FileFormatError where there is none that opens."""
    file = Path(path, _FILE) if Path(path).is_dir() else Path(path)
    try:
        return Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises nothing narrower
        message = f"{str(file)!r} does not open as a tokenizer ({error}); name a tokenizer.json, or a folder with one"
        raise FileFormatError(message) from error


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
