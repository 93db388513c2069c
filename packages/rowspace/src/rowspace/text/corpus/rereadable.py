"""A corpus that can be read twice: from its source again, or from a copy on disk.

A tokenizer is trained in one pass and used in another. Standard input and generators can be read only once, so their
text is written to disk as it is read.
"""

from array import array
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from rowspace.errors import UsageError
from rowspace.text.corpus.open_corpus import Corpus, corpus_bytes, open_corpus
from rowspace.text.corpus.reading import Piece

__all__ = ["RereadableCorpus", "text_pieces"]


class RereadableCorpus:
    """A corpus whose pieces are read by `first` and then by `again`; a copy, if needed, is stored at `path`."""

    def __init__(
        self, corpus: Corpus, path: Path, *, column: str | None, on_bytes: Callable[[int], None] | None
    ) -> None:
        self._open = partial(text_pieces, corpus, column=column, on_bytes=on_bytes)
        self._rereadable = corpus_bytes(corpus) is not None or _is_list_of_texts(corpus)
        self._path = path
        self._sizes, self._ends = array("q"), bytearray()

    def first(self) -> Iterator[Piece]:
        """Yield the pieces, and copy them if the source cannot be read again."""
        if self._rereadable:
            yield from self._open()
            return
        with self._path.open("wb") as file:
            for data, last in self._open():
                file.write(data)
                self._sizes.append(len(data))
                self._ends.append(last)
                yield data, last

    def again(self) -> Iterator[Piece]:
        """Yield the pieces once more."""
        if self._rereadable:
            yield from self._open()
            return
        with self._path.open("rb") as file:
            for size, last in zip(self._sizes, self._ends, strict=True):
                yield file.read(size), bool(last)


def text_pieces(corpus: Corpus, *, column: str | None, on_bytes: Callable[[int], None] | None) -> Iterator[Piece]:
    """Return the pieces of a corpus as `open_corpus` does; raises UsageError for token lists."""
    pieces, _ = open_corpus(corpus, column=column, on_bytes=on_bytes)
    if pieces is None:
        raise UsageError(
            "the corpus is token lists, which need no tokenizer and have no phrases; leave `tokens` and `phrases` out"
        )
    return pieces


def _is_list_of_texts(corpus: object) -> bool:
    return isinstance(corpus, list | tuple) and all(isinstance(text, str) for text in corpus)
