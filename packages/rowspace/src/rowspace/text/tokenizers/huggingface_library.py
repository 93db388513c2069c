"""What the `tokenizers` library leaves to its callers: errors of one kind, validated merges, ids in order, threads."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

from tokenizers import Tokenizer

from rowspace.errors import FileFormatError, RowspaceError, reason_of

__all__ = ["library_threads", "tokens_by_id", "translate_errors", "validate_merges"]

_PARALLEL = "TOKENIZERS_PARALLELISM"


def tokens_by_id(tokenizer: Tokenizer) -> list[str]:
    """Return the tokens in the order of their ids.

    Raises:
        FileFormatError: the ids are not 0 to V-1.

    >>> from tokenizers.models import WordLevel
    >>> tokens_by_id(Tokenizer(WordLevel({"b": 1, "a": 0})))
    ['a', 'b']
    """
    ids: dict[str, int] = tokenizer.get_vocab(with_added_tokens=True)
    tokens = sorted(ids, key=ids.__getitem__)
    wrong = next((number for number, token in enumerate(tokens) if ids[token] != number), None)
    if wrong is not None:
        raise FileFormatError(
            f"the tokenizer's {len(ids):,} ids are not 0 to {len(ids) - 1:,}, one for each row of a table: "
            f"{tokens[wrong]!r} has {ids[tokens[wrong]]} where {wrong} is next; number its tokens without gaps"
        )
    return tokens


def validate_merges(text: str, source: str) -> None:
    """Raise FileFormatError for byte-pair merges that contradict the vocabulary of a tokenizer.json.

    The library would panic on some of them: an exception that is not an `Exception`, and a Rust backtrace on standard
    error. What is not a tokenizer.json at all is left to the library.
    """
    try:
        model = json.loads(text)["model"]
        vocabulary, prefix = model["vocab"], model.get("continuing_subword_prefix") or ""
        merges = [merge.split(" ") if isinstance(merge, str) else merge for merge in model.get("merges") or ()]
        pairs = [(left + "", right + "") for left, right in merges]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    for rank, (left, right) in enumerate(pairs):
        wrong = {left, right, left + right[len(prefix) :]}.difference(vocabulary)
        if wrong or not right.startswith(prefix):
            why = f"{min(wrong)!r} is not in it" if wrong else f"{right!r} does not begin with {prefix!r}"
            raise FileFormatError(
                f"{source}: merge {rank} of {left!r} and {right!r} contradicts the vocabulary: {why}; restore the file"
            )


@contextmanager
def translate_errors(source: str) -> Iterator[None]:
    """Raise FileFormatError, naming `source`, for all errors of the library: plain `Exception`, and panics."""
    try:
        yield
    except (RowspaceError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise FileFormatError(
            f"{source}: does not open as a tokenizer ({reason_of(error)}); restore the file"
        ) from error


@contextmanager
def library_threads(*, several: bool) -> Iterator[None]:
    """Let the library use all cores in a block, or only the calling thread; it reads the environment on each call."""
    before = os.environ.get(_PARALLEL)
    os.environ[_PARALLEL] = str(several).lower()
    try:
        yield
    finally:
        del os.environ[_PARALLEL]
        if before is not None:
            os.environ[_PARALLEL] = before
