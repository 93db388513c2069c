"""A byte-pair tokenizer that every machine can have: learned from the standard library once, and kept.

It stands in where no tokenizer is named, as `standard_library` does where no corpus is. It is kept in the
`cache_dir`, by the versions of what it was made from. Read next: training.py.
"""

import json
import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import tokenizers
from tokenizers import Tokenizer

from rowspace._base.atomic import atomic_file
from rowspace._base.paths import cache_dir
from rowspace.errors import RowspaceError
from rowspace.files.strict_json import parse_object
from rowspace.text.library import parsed
from rowspace.text.numbering import tokens_of
from rowspace.text.stdlib import standard_library
from rowspace.text.tokenizer_options import TokenizerOptions
from rowspace.text.training import train_tokenizer

__all__ = ["STANDARD_SIZE", "kept_standard_tokenizer", "standard_tokenizer"]

STANDARD_SIZE = 16_384
"""The tokens that `standard_tokenizer` has, unless told otherwise."""

_BATCH = 16  # texts that are encoded at a time


def standard_tokenizer(
    vocabulary_size: int = STANDARD_SIZE,
    *,
    on_share: Callable[[float], None] | None = None,
    texts: Iterable[str] | None = None,
) -> tuple[Tokenizer, dict[str, int]]:
    """Return the tokenizer, and how often each of its tokens comes in the text that it was learned from.

    The first time takes some seconds, in which `on_share` is told how much of the reading is done, 0 … 1: the text is
    read to learn, and again to count. `texts` are learned from in place of the library, and kept in its place: give
    some only where the cache folder is your own. Raises UsageError for a size that cannot be, CorpusError where this
    Python keeps no source of its library.
    """
    options = TokenizerOptions("bpe", vocabulary_size=vocabulary_size)
    if kept := kept_standard_tokenizer(vocabulary_size):
        return kept
    texts = list(standard_library() if texts is None else texts)
    share = _Share(2 * sum(map(len, texts)), on_share)
    learned = train_tokenizer(share.of(texts), options)
    counts = _counts(Tokenizer.from_str(learned), texts, share)
    with suppress(OSError, RowspaceError):  # a cache that cannot be written costs the next one these seconds
        path = _path(vocabulary_size)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as file:
            file.write(json.dumps({"tokenizer": learned, "counts": counts}).encode())
    return _counted(learned, counts)


def kept_standard_tokenizer(vocabulary_size: int = STANDARD_SIZE) -> tuple[Tokenizer, dict[str, int]] | None:
    """Return the same where it was learned before and is kept, whole; None where it would have to be learned."""
    try:
        kept = parse_object(_path(vocabulary_size).read_bytes(), "the cache")
        return _counted(kept["tokenizer"], kept["counts"])
    except (OSError, ValueError, KeyError, TypeError, RowspaceError):
        return None


def _path(vocabulary_size: int) -> Path:
    made_of = f"python{platform.python_version()}-tokenizers{tokenizers.__version__}"
    return cache_dir() / f"standard-library-{vocabulary_size}-{made_of}.json"


def _counted(text: str, counts: Sequence[int]) -> tuple[Tokenizer, dict[str, int]]:
    tokenizer = parsed(text, "the standard tokenizer").library
    return tokenizer, dict(zip(tokens_of(tokenizer), counts, strict=True))


def _counts(tokenizer: Tokenizer, texts: Sequence[str], share: "_Share") -> list[int]:
    """Return how often each id comes."""
    counts = Counter[int]()
    for start in range(0, len(texts), _BATCH):
        batch = [*share.of(texts[start : start + _BATCH])]
        for encoding in tokenizer.encode_batch_fast(batch, add_special_tokens=False):
            counts.update(encoding.ids)
    return [counts[number] for number in range(tokenizer.get_vocab_size())]


class _Share:
    """Tells how much of `whole` characters has been read."""

    def __init__(self, whole: int, on_share: Callable[[float], None] | None) -> None:
        self._whole, self._on_share = whole, on_share
        self._read = 0

    def of(self, texts: Sequence[str]) -> Iterator[str]:
        """Yield the texts, and count them as read."""
        for text in texts:
            yield text
            self._read += len(text)
            if self._on_share:
                self._on_share(self._read / self._whole)
