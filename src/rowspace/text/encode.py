"""A corpus → ids on disk: the scan on several threads, the vocabulary, and the final ids.

The first pass writes ids as each worker's lexicon gives them, in blocks; then the lexicons become one
vocabulary, and a second pass over the ids, one block at a time, makes them final. Memory grows with the
distinct words only. Left out: what a corpus is (corpus.py), how words are found (kernels.py), token lists
(tokens.py).
"""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import CorpusError
from rowspace.text import kernels
from rowspace.text.corpus import Corpus, open_corpus
from rowspace.text.first_pass import FirstPass, read_token_lists, scan_pieces
from rowspace.text.ids import CORPUS_NAME, IDS_NAME, IdCorpus
from rowspace.text.options import TextOptions
from rowspace.text.words import WordTokenizer, whitespace_json

__all__ = ["ReplacedTextWarning", "encode_corpus"]

_DEFAULTS = TextOptions()


class ReplacedTextWarning(UserWarning):
    """Some of the text was not UTF-8 and was replaced."""


def encode_corpus(
    corpus: Corpus,
    directory: str | os.PathLike[str],
    *,
    options: TextOptions = _DEFAULTS,
    on_bytes: Callable[[int], None] | None = None,
) -> IdCorpus:
    """Read a corpus once and write the ids of its words to `directory`, which exists.

    `corpus`: see `open_corpus`; `on_bytes` is told of bytes read from files (`corpus_bytes` knows how many
    come). The result is the same with any number of workers; nothing but the ids is saved until its `save`.
    Raises CorpusError for what cannot be read as text or holds no words, MissingExtraError for .zst without
    zstandard.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ids = encode_corpus(["The cat.", "the dog"], folder, options=TextOptions(min_count=1))
    >>> ids.vocabulary, ids.counts.tolist(), ids.size
    (['the', 'cat', 'dog'], [2, 1, 1], 6)
    """
    pieces, token_lists = open_corpus(corpus, field=options.field, on_bytes=on_bytes)
    with _ids_file(Path(directory)) as path:
        first = scan_pieces(pieces, path, options) if pieces else read_token_lists(token_lists or (), path)
        words = int(first.counts.sum())
        if not words:
            raise CorpusError(f"the corpus {_shown(corpus)} holds no words; name one with text")
        chosen = _choose(first, options)
        size = _finish(path, first, chosen)
    if first.replaced:
        message = (
            f"{first.replaced:,} bad UTF-8 sequences of the corpus {_shown(corpus)} were replaced; "
            "convert it if it is in another encoding"
        )
        warnings.warn(message, ReplacedTextWarning, stacklevel=2)
    vocabulary = [first.token(identity).decode() for identity in chosen]
    return IdCorpus(
        ids_path=Path(directory, IDS_NAME),
        size=size,
        vocabulary=vocabulary,
        counts=first.counts[chosen],
        words=words,
        replaced=first.replaced,
        tokenizer=(WordTokenizer(vocabulary, cased=options.cased).to_json() if pieces else whitespace_json(vocabulary)),
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


def _choose(first: FirstPass, options: TextOptions) -> NDArray[np.int64]:
    """Return the ids of the words to keep, in their final order: by falling count, then by their bytes."""
    often = np.flatnonzero(first.counts >= options.min_count)
    if not len(often):
        raise CorpusError(
            f"no word is as frequent as min_count={options.min_count}: the most frequent one comes "
            f"{first.counts.max()} times; lower min_count or add text"
        )
    counts = first.counts.tolist()
    order = sorted(often.tolist(), key=lambda identity: (-counts[identity], first.token(identity)))
    return np.array(order[: options.max_vocabulary], np.int64)


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
