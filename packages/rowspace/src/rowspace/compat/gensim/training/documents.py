"""Documents with tags: how they are read, and which row each tag has."""

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rowspace.compat.gensim.errors import ArgumentTypeError
from rowspace.compat.gensim.training.corpus import EncodedText, encode_sentences
from rowspace.compat.gensim.training.general import Tags
from rowspace.compat.gensim.training.sentences import BrownCorpus, LineSentence
from rowspace.compat.gensim.vectors.keyed_vectors import KeyedVectors
from rowspace.errors import UsageError

__all__ = [
    "TaggedBrownCorpus",
    "TaggedDocument",
    "TaggedLineDocument",
    "add_tags",
    "collected_tags",
    "documents_of",
    "encode_documents",
]

logger = logging.getLogger(__name__)
STRING_WARNING = (
    "Each 'words' should be a list of words (usually unicode strings). "
    "The first one is a string, %r, whose characters become words."
)


class TaggedDocument(NamedTuple):
    """The words of a document, and its tags: numbers, which are the tags' rows, or strings.

    Example:
        >>> TaggedDocument(["the", "cat"], [0]).tags
        [0]
    """

    words: Any
    tags: Any

    def __str__(self) -> str:
        return f"{type(self).__name__}<{self.words}, {self.tags}>"


class TaggedLineDocument:
    """The lines of a file as documents, whose tag is the number of the line, from 0.

    Args:
        source: A path or an open binary file, as for `LineSentence`.
    """

    def __init__(self, source: Any) -> None:
        self.source = source

    def __iter__(self) -> Iterator[TaggedDocument]:
        for number, words in enumerate(LineSentence(self.source, max_sentence_length=2**62)):
            yield TaggedDocument(words, [number])


class TaggedBrownCorpus:
    """The sentences of the Brown corpus as documents with a tag each.

    Args:
        dirname: The folder.
    """

    def __init__(self, dirname: Any) -> None:
        self.dirname = dirname

    def __iter__(self) -> Iterator[TaggedDocument]:
        for number, words in enumerate(BrownCorpus(self.dirname)):
            yield TaggedDocument(words, [f"{Path(self.dirname).name}_SENT_{number}"])


class TagCounts(NamedTuple):
    """How often each tag occurs, and with how many words, in the order in which they were first seen."""

    documents: dict[Any, int]
    words: dict[Any, int]


def documents_of(corpus_iterable: Any, corpus_file: Any) -> Iterable[Any]:
    """Return the documents of the one of the two that is given."""
    return corpus_iterable if corpus_file is None else TaggedLineDocument(corpus_file)


def collected_tags(documents: Iterable[Any], counts: TagCounts) -> Iterator[Any]:
    """Yield the words of documents, and count their tags.

    Raises:
        ArgumentTypeError: A document has no words or tags.
    """
    for number, document in enumerate(documents):
        words, tags = _parts(document)
        if number == 0 and isinstance(words, str):
            logger.warning(STRING_WARNING, words[:40])
        for tag in tags:
            counts.documents[tag] = counts.documents.get(tag, 0) + 1
            counts.words[tag] = counts.words.get(tag, 0) + len(words)
        yield words


def _parts(document: Any) -> tuple[Any, Any]:
    try:
        return document.words, document.tags
    except AttributeError as error:
        raise ArgumentTypeError(
            f"a document must have words and tags, got {type(document).__name__}; give TaggedDocument(words, [tag])"
        ) from error


def add_tags(dv: KeyedVectors, counts: TagCounts) -> None:
    """Give each tag a row: a number is its own row, and strings come after the largest number.

    Raises:
        UsageError: A number is the row of a string that has one already.
    """
    numbers = [int(tag) for tag in counts.documents if not isinstance(tag, str)]
    if min(numbers, default=0) < 0:
        raise UsageError(f"tags that are numbers must not be negative, got {min(numbers)}; use text")
    needed = max(numbers, default=-1) + 1
    if dv.key_to_index and needed > min(dv.key_to_index.values()):
        raise UsageError(f"tag {needed - 1} is the row of a tag that is text; give new documents tags that are text")
    if not dv.key_to_index:
        dv.index_to_key.extend(range(len(dv.index_to_key), needed))
    for tag in counts.documents:
        if isinstance(tag, str) and tag not in dv.key_to_index:
            dv.key_to_index[tag] = len(dv.index_to_key)
            dv.index_to_key.append(tag)
    dv.next_index = len(dv.index_to_key)
    dv.allocate_vecattrs({"doc_count": np.dtype(np.int64), "word_count": np.dtype(np.int64)})
    places = np.array([dv.get_index(tag) for tag in counts.documents], np.int64)
    for name, values in (("doc_count", counts.documents), ("word_count", counts.words)):
        dv.expandos[name][places] += np.fromiter(values.values(), np.int64, len(places))


def encode_documents(documents: Iterable[Any], wv: KeyedVectors, dv: KeyedVectors) -> tuple[EncodedText, Tags]:
    """Return the ids of documents, and the rows of their tags; unknown words and tags are left out."""
    tags, starts = list[int](), [0]

    def words() -> Iterator[Any]:
        for document in documents:
            listed, own = _parts(document)
            tags.extend(dv.get_index(tag) for tag in own if dv.has_index_for(tag))
            starts.append(len(tags))
            yield listed

    text = encode_sentences(words(), wv.key_to_index)
    return text, Tags(np.array(tags, np.int64), np.array(starts, np.int64))
