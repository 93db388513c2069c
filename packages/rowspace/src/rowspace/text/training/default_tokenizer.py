"""A byte-pair tokenizer that every machine can have: trained on the standard library once, and cached.

It is the default where no tokenizer is named, as `standard_library` is where no corpus is named. Its file in
`cache_dir` is named after the versions of Python and of the `tokenizers` library.
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
from rowspace._base.work_folder import cache_dir
from rowspace.errors import RowspaceError
from rowspace.files.strict_json import parse_object
from rowspace.text.corpus.standard_library import standard_library
from rowspace.text.tokenizer_options import TokenizerOptions
from rowspace.text.tokenizers.huggingface import HuggingFaceTokenizer
from rowspace.text.tokenizers.huggingface_library import tokens_by_id
from rowspace.text.training.train import train_tokenizer

__all__ = ["DEFAULT_VOCABULARY_SIZE", "cached_default_tokenizer", "default_tokenizer"]

DEFAULT_VOCABULARY_SIZE = 16_384
"""The vocabulary size of `default_tokenizer`."""

_BATCH = 16  # texts that are encoded at a time


def default_tokenizer(
    vocabulary_size: int = DEFAULT_VOCABULARY_SIZE,
    *,
    on_share: Callable[[float], None] | None = None,
    texts: Iterable[str] | None = None,
) -> tuple[Tokenizer, dict[str, int]]:
    """Return the tokenizer, and how often each of its tokens occurs in the text that it was trained on.

    The first call takes some seconds: the text is read to train, and again to count.

    Args:
        vocabulary_size: The number of tokens.
        on_share: Called with the share of the reading that is done, 0 … 1.
        texts: Train on these instead of the standard library. The result is cached in its place: pass texts only where
            the cache folder is your own.

    Returns:
        The tokenizer of the `tokenizers` library, and the count of each token.

    Raises:
        UsageError: the size is not possible.
        CorpusError: this Python has no source of its standard library.
    """
    options = TokenizerOptions("bpe", vocabulary_size=vocabulary_size)
    if cached := cached_default_tokenizer(vocabulary_size):
        return cached
    texts = list(standard_library() if texts is None else texts)
    share = _Share(2 * sum(map(len, texts)), on_share)
    trained = train_tokenizer(share.of(texts), options)
    counts = _counts(Tokenizer.from_str(trained), texts, share)
    with suppress(OSError, RowspaceError):  # without a cache the next call takes as long
        path = _path(vocabulary_size)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as file:
            file.write(json.dumps({"tokenizer": trained, "counts": counts}).encode())
    return _with_counts(trained, counts)


def cached_default_tokenizer(vocabulary_size: int = DEFAULT_VOCABULARY_SIZE) -> tuple[Tokenizer, dict[str, int]] | None:
    """Return what `default_tokenizer` has cached; None where it would have to be trained."""
    try:
        cached = parse_object(_path(vocabulary_size).read_bytes(), "the cache")
        return _with_counts(cached["tokenizer"], cached["counts"])
    except (OSError, ValueError, KeyError, TypeError, RowspaceError):
        return None


def _path(vocabulary_size: int) -> Path:
    versions = f"python{platform.python_version()}-tokenizers{tokenizers.__version__}"
    return cache_dir() / f"standard-library-{vocabulary_size}-{versions}.json"


def _with_counts(text: str, counts: Sequence[int]) -> tuple[Tokenizer, dict[str, int]]:
    tokenizer = HuggingFaceTokenizer.from_json(text, "the default tokenizer").library
    return tokenizer, dict(zip(tokens_by_id(tokenizer), counts, strict=True))


def _counts(tokenizer: Tokenizer, texts: Sequence[str], share: "_Share") -> list[int]:
    """Return how often each id occurs."""
    counts = Counter[int]()
    for start in range(0, len(texts), _BATCH):
        batch = [*share.of(texts[start : start + _BATCH])]
        for encoding in tokenizer.encode_batch_fast(batch, add_special_tokens=False):
            counts.update(encoding.ids)
    return [counts[number] for number in range(tokenizer.get_vocab_size())]


class _Share:
    """Reports the share of `whole` characters that has been read."""

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
