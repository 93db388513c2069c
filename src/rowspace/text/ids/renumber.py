"""What a first pass found → a corpus of final ids: a vocabulary by falling count, and the ids made to fit it.

Both ways of reading a text end here: by words (encode.py) and by a tokenizer (encode_tokens.py).
"""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace.errors import CorpusError, CorpusWarning
from rowspace.text.ids.id_corpus import CORPUS_NAME, IDS_NAME, IdCorpus
from rowspace.text.ids.provisional_ids import FirstPass
from rowspace.text.words import kernels

__all__ = ["ReplacedTextWarning", "finish_corpus"]

_MUCH = 0.05  # the share of phrases from which on a warning is worth reading


class ReplacedTextWarning(UserWarning):
    """Some of the text was not UTF-8 and was replaced."""


def finish_corpus(
    corpus: object,
    directory: Path,
    first_pass: Callable[[Path], FirstPass],
    *,
    min_count: int = 1,
    max_vocabulary: int | None = None,
) -> tuple[IdCorpus, NDArray[np.int64]]:
    """Return the corpus whose ids `first_pass` writes to the path that it gets, yet without a tokenizer.

    Also returns the id of each of its tokens in the first pass. The ids take their name in `directory` when all went
    well; else nothing is left there. Raises CorpusError where there is no token, or none is as frequent as
    `min_count`; `corpus` is what was read, for messages.
    """
    with _ids_file(directory) as path:
        first = first_pass(path)
        words = int(first.counts.sum())
        if not words:
            raise CorpusError(f"the corpus {_shown(corpus)} holds no words; name one with text")
        _warn_of_phrases(corpus, first.unspaced)
        chosen = _choose(first, min_count, max_vocabulary)
        size = _finish(path, first, chosen)
    if first.replaced:
        message = (
            f"{first.replaced:,} bad UTF-8 sequences of the corpus {_shown(corpus)} were replaced; "
            "convert it if it is in another encoding"
        )
        warnings.warn(message, ReplacedTextWarning, stacklevel=3)
    found = IdCorpus(
        ids_path=directory / IDS_NAME,
        size=size,
        vocabulary=[first.token(identity).decode() for identity in chosen],
        counts=first.counts[chosen],
        words=words,
        replaced=first.replaced,
        tokenizer="",
    )
    return found, chosen


def _warn_of_phrases(corpus: object, share: float) -> None:
    if share >= _MUCH:
        warnings.warn(
            f"{share:.0%} of the characters of the corpus {_shown(corpus)} are in scripts without spaces between words "
            "(Chinese, Japanese, Thai, Lao, Khmer, Burmese), and whole phrases became words; learn pieces of them with "
            'tokens="unigram" (--tokens unigram), or put spaces between the words first',
            CorpusWarning,
            stacklevel=4,
        )


@contextmanager
def _ids_file(directory: Path) -> Iterator[Path]:
    """Yield a path for ids; the file there takes its name when all went well, and goes when not."""
    (directory / CORPUS_NAME).unlink(missing_ok=True)  # it would no longer fit the ids
    path = directory / f"{IDS_NAME}.part"
    try:
        yield path
        path.replace(directory / IDS_NAME)
    finally:
        path.unlink(missing_ok=True)


def _shown(corpus: object) -> str:
    return repr(os.fspath(corpus)) if isinstance(corpus, str | os.PathLike) else "given"


def _choose(first: FirstPass, min_count: int, max_vocabulary: int | None) -> NDArray[np.int64]:
    """Return the ids of the words to keep, in their final order: by falling count, then by their bytes."""
    often = np.flatnonzero(first.counts >= min_count)
    if not len(often):
        raise CorpusError(
            f"no word is as frequent as min_count={min_count}: the most frequent one comes "
            f"{plural(first.counts.max(), 'time')}; lower min_count or add text"
        )
    counts = first.counts.tolist()
    order = sorted(often.tolist(), key=lambda identity: (-counts[identity], first.token(identity)))
    return np.array(order[:max_vocabulary], np.int64)


def _finish(path: Path, first: FirstPass, chosen: NDArray[np.int64]) -> int:
    """Replace the ids in a file by final ones, in place and a block at a time; return how many are left."""
    final = np.full(len(first.counts), -1, np.int32)
    final[chosen] = np.arange(len(chosen), dtype=np.int32)
    finals = [final[ids] for ids in first.merged]  # for each worker
    size, last = 0, kernels.END
    with path.open("rb") as source, path.open("r+b") as target:
        for index, length in enumerate(first.lengths):
            ids = np.fromfile(source, "<i4", length)
            written, last = kernels.compact(ids, finals[index % len(finals)], last, ids)
            target.write(ids[:written].data)
            size += written
        target.truncate(4 * size)
    return size
