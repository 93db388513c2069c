"""Documents → ids of their words, in memory."""

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import available_cores
from rowspace.encode import FlatTokenizer
from rowspace.errors import CorpusError, UsageError
from rowspace.text import TextOptions, encode_corpus

__all__ = ["DocumentIds", "TaggedTexts", "count_words", "tagged_texts", "word_ids"]


class TaggedTexts(NamedTuple):
    """Documents with their names."""

    tags: list[str]
    texts: list[str]


class DocumentIds(NamedTuple):
    """The words of documents: those of document i are `ids[indptr[i] : indptr[i + 1]]`."""

    ids: NDArray[np.int32]
    indptr: NDArray[np.int64]


class Words(NamedTuple):
    """The words of documents by falling count, how often each occurs, and the tokenizer.json of them."""

    vocabulary: list[str]
    counts: NDArray[np.int64]
    tokenizer: str


def tagged_texts(documents: Iterable[str] | Mapping[str, str]) -> TaggedTexts:
    """Return documents with their tags, which are "0", "1", ... unless `documents` is a mapping.

    Raises:
        UsageError: A document is not a string, or there are fewer than two.
    """
    if isinstance(documents, str):
        raise UsageError("documents must be a list of texts or a mapping from tags to texts, not one string")
    tags = list(documents) if isinstance(documents, Mapping) else None
    texts = list(documents.values() if isinstance(documents, Mapping) else documents)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            name = number if tags is None else repr(tags[number])
            raise UsageError(f"document {name} must be a string, not {type(text).__name__}; join its words with spaces")
    if len(texts) < 2:
        raise UsageError(f"rows of documents are learned by comparing them; give two or more, not {len(texts)}")
    return TaggedTexts([str(number) for number in range(len(texts))] if tags is None else tags, texts)


def count_words(texts: Sequence[str], *, cased: bool, min_count: int, workers: int | None) -> Words:
    """Return the words of documents that occur `min_count` times or more.

    Raises:
        CorpusError: There are fewer than two such words.
    """
    options = TextOptions(cased=cased, min_count=min_count, sentences="document", workers=workers or available_cores())
    with tempfile.TemporaryDirectory(prefix="rowspace-") as folder:
        corpus = encode_corpus(texts, Path(folder), options=options)
    if len(corpus.vocabulary) < 2:
        raise CorpusError(
            f"the documents have only one distinct word, {corpus.vocabulary[0]!r}; give more text, or a lower min_count"
        )
    return Words(corpus.vocabulary, corpus.counts, corpus.tokenizer)


def word_ids(texts: Sequence[str], tokenizer: FlatTokenizer, size: int, *, workers: int | None) -> DocumentIds:
    """Return the ids of the words of documents, without words that are not among the `size` known ones."""
    flat = tokenizer.encode(texts, workers=workers)
    known = (flat.ids >= 0) & (flat.ids < size)
    before = np.concatenate([[0], np.cumsum(known)])
    return DocumentIds(np.ascontiguousarray(flat.ids[known], np.int32), before[flat.indptr].astype(np.int64))
