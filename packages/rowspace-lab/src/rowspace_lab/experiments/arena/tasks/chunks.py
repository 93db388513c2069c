"""Text → chunks, at whose borders all strategies predict the bytes that follow.

A chunk ends after a space, or after `MAX_CHUNK` characters without one. So a border is known from the text before it:
that a chunk starts says nothing about its first byte. White space is one space everywhere, for all strategies.
"""

import re
from collections.abc import Iterator

from rowspace.errors import CorpusError
from rowspace.text import Corpus, open_corpus, standard_library

__all__ = ["MAX_CHUNK", "read_documents", "split_chunks"]

MAX_CHUNK = 9  # characters
_CHUNK = re.compile(rf"\S{{0,{MAX_CHUNK - 1}}} |\S{{1,{MAX_CHUNK}}}")
# Of each file of the standard library, this share of all bytes, so that the text comes from most of it.
_FILE_SHARE = 400


def split_chunks(text: str) -> list[bytes]:
    r"""Return the chunks of a text as UTF-8.

    >>> split_chunks("read the\n  documentation")
    [b'read ', b'the ', b'documenta', b'tion ']
    """
    return [chunk.encode("utf-8", "replace") for chunk in _CHUNK.findall(" ".join(text.split()) + " ")]


def read_documents(corpus: Corpus | None, *, limit: int, column: str | None = None) -> Iterator[str]:
    """Yield the documents of a corpus until `limit` bytes are read.

    Args:
        corpus: As for `rowspace.fit`; None is the standard library, of which each file's beginning is read.
        limit: Maximum number of bytes.
        column: The column that holds the text, of files with records.

    Raises:
        CorpusError: The corpus cannot be read, or consists of token lists.
    """
    left = limit
    for data in _pieces(corpus, column, limit):
        document = data[:left]
        left -= len(document)
        yield document.decode("utf-8", "replace")
        if left <= 0:
            return


def _pieces(corpus: Corpus | None, column: str | None, limit: int) -> Iterator[bytes]:
    if corpus is None:
        for text in standard_library():
            yield text[: max(1, limit // _FILE_SHARE)].encode("utf-8", "replace")
        return
    pieces = open_corpus(corpus, column=column).pieces
    if pieces is None:
        raise CorpusError("the arena predicts the bytes of a text, but this corpus consists of token lists; pass texts")
    for data, _ends in pieces:
        yield bytes(data)
