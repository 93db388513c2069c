"""Provisional ids → an `IdCorpus`: a vocabulary by falling count, and its ids in place of the provisional ones."""

import os
import warnings
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace.errors import CorpusError, CorpusWarning
from rowspace.text.ids.id_corpus import CORPUS_NAME, IDS_NAME, IdCorpus
from rowspace.text.ids.kernels import compact
from rowspace.text.ids.provisional_ids import ProvisionalIds
from rowspace.text.words.kernels import END

__all__ = ["MANY_PHRASES", "ReplacedTextWarning", "choose_words", "renumber", "rewrite_ids", "warn_of_replaced"]

MANY_PHRASES = 0.05  # the share of characters in phrases from which words are learned, or a warning is issued


class ReplacedTextWarning(UserWarning):
    """Some of the text was not UTF-8 and was replaced."""


def renumber(
    corpus: object,
    folder: Path,
    write_ids: Callable[[Path], ProvisionalIds],
    *,
    min_count: int = 1,
    max_vocabulary: int | None = None,
    known: Container[str] | None = None,
) -> tuple[IdCorpus, NDArray[np.int64]]:
    """Write provisional ids, renumber them in place, and return the corpus, without a tokenizer.

    The file of ids appears in `folder` when it is complete; after an error nothing is left there.

    Args:
        corpus: What was read, for messages.
        folder: Where the ids are written.
        write_ids: Writes the provisional ids to a path.
        min_count: Rarer tokens are left out.
        max_vocabulary: Only this many of the most frequent tokens are kept.
        known: Tokens that are kept if they occur, however rare they are, besides the `max_vocabulary`.

    Returns:
        The corpus, and the provisional id of each of its tokens: int64 (V,).

    Raises:
        CorpusError: there is no token, or none is as frequent as `min_count`.
    """
    with _ids_file(folder) as path:
        provisional = write_ids(path)
        chosen = choose_words(corpus, provisional, min_count, max_vocabulary, known)
        final = np.full(len(provisional.counts), -1, np.int32)
        final[chosen] = np.arange(len(chosen), dtype=np.int32)
        size = rewrite_ids(path, provisional, final)
    warn_of_replaced(corpus, provisional.replaced)
    id_corpus = IdCorpus(
        ids_path=folder / IDS_NAME,
        size=size,
        vocabulary=[provisional.token(identity).decode() for identity in chosen],
        counts=provisional.counts[chosen],
        words=int(provisional.counts.sum()),
        replaced=provisional.replaced,
        tokenizer="",
    )
    return id_corpus, chosen


def warn_of_replaced(corpus: object, replaced: int) -> None:
    """Warn if bad UTF-8 was replaced in a corpus."""
    if replaced:
        message = (
            f"{replaced:,} bad UTF-8 sequences of the corpus {_shown(corpus)} were replaced; "
            "convert it if it is in another encoding"
        )
        warnings.warn(message, ReplacedTextWarning, stacklevel=4)


def _warn_of_phrases(corpus: object, share: float) -> None:
    if share >= MANY_PHRASES:
        warnings.warn(
            f"{share:.0%} of the characters of the corpus {_shown(corpus)} are in scripts without spaces between words "
            "(Chinese, Japanese, Thai, Lao, Khmer, Burmese), and whole phrases became words; learn words with "
            'segmenter="learned" (--segmenter learned) from a text in which each occurs min_count times, in a fit that '
            "continues from no other table",
            CorpusWarning,
            stacklevel=4,
        )


@contextmanager
def _ids_file(folder: Path) -> Iterator[Path]:
    """Yield a path for ids; the file is renamed when the block ends, and removed after an error."""
    (folder / CORPUS_NAME).unlink(missing_ok=True)  # it would not match the new ids
    path = folder / f"{IDS_NAME}.part"
    try:
        yield path
        path.replace(folder / IDS_NAME)
    finally:
        path.unlink(missing_ok=True)


def _shown(corpus: object) -> str:
    return repr(os.fspath(corpus)) if isinstance(corpus, str | os.PathLike) else "given"


def choose_words(
    corpus: object,
    provisional: ProvisionalIds,
    min_count: int,
    max_vocabulary: int | None = None,
    known: Container[str] | None = None,
) -> NDArray[np.int64]:
    """Return the ids of the words to keep, in their final order: by falling count, then by their bytes.

    The arguments are those of `renumber`.

    Raises:
        CorpusError: There is no word, or none that is frequent.
    """
    if not provisional.counts.any():
        raise CorpusError(f"the corpus {_shown(corpus)} holds no words; name one with text")
    _warn_of_phrases(corpus, provisional.unspaced)
    frequent = np.flatnonzero(provisional.counts >= min_count).tolist()
    old = [i for i in range(len(provisional.counts)) if provisional.token(i).decode() in known] if known else []
    if not frequent and not old:
        raise CorpusError(
            f"no word is as frequent as min_count={min_count}: the most frequent one occurs "
            f"{plural(provisional.counts.max(), 'time')}; lower min_count or add text"
        )
    counts = provisional.counts.tolist()

    def by_count(ids: Iterable[int]) -> list[int]:
        return sorted(ids, key=lambda identity: (-counts[identity], provisional.token(identity)))

    kept = by_count(set(frequent).difference(old))[:max_vocabulary]
    return np.array(by_count([*kept, *old]) if old else kept, np.int64)


def rewrite_ids(path: Path, provisional: ProvisionalIds, final: NDArray[np.int32]) -> int:
    """Replace the ids in a file by final ones, in place, a block at a time; return how many remain.

    Args:
        path: The file of provisional ids.
        provisional: What they are.
        final: The final id of each word, -1 for one that is left out.
    """
    finals = [final[ids] for ids in provisional.merged]  # for each worker
    size, last = 0, END
    with path.open("rb") as source, path.open("r+b") as target:
        for index, length in enumerate(provisional.lengths):
            ids = np.fromfile(source, "<i4", length)
            written, last = compact(ids, finals[index % len(finals)], last, ids)
            target.write(ids[:written].data)
            size += written
        target.truncate(4 * size)
    return size
