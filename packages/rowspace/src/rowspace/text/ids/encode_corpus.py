"""A corpus → ids of its words on disk.

The first pass scans blocks of text on several threads, each with its own lexicon, and writes provisional ids; then
the lexicons are merged into one vocabulary, phrases of scripts without spaces are divided into words, and a last pass
over the ids makes them final. Memory grows with the distinct words only.
"""

import os
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import numpy as np

from rowspace.errors import CorpusError
from rowspace.files.tokenizer_json import whitespace_json
from rowspace.table import Table
from rowspace.text.corpus.open_corpus import Corpus, open_corpus
from rowspace.text.corpus.reading import Piece
from rowspace.text.ids.id_corpus import IdCorpus
from rowspace.text.ids.provisional_ids import ProvisionalIds, read_token_lists, scan_pieces
from rowspace.text.ids.renumber import renumber
from rowspace.text.ids.segment import divide_phrases, warn_of_other_words, words_within
from rowspace.text.options import TextOptions
from rowspace.text.words.pattern import pattern_json, pattern_sentences, white_space_sentences
from rowspace.text.words.word_tokenizer import WordTokenizer, unspaced_words

__all__ = ["encode_corpus", "number_words", "scan_text", "words_json"]

_DEFAULTS = TextOptions()


def encode_corpus(
    corpus: Corpus,
    folder: str | os.PathLike[str],
    *,
    options: TextOptions = _DEFAULTS,
    on_bytes: Callable[[int], None] | None = None,
    extends: Table | None = None,
) -> IdCorpus:
    """Read a corpus once and write the ids of its words to `folder`.

    The result is the same with any number of workers. Only the ids are written until its `save` is called.

    Args:
        corpus: Paths, texts or token lists, see `open_corpus`.
        folder: An existing folder.
        options: How text becomes words and ids.
        on_bytes: Called with the number of bytes read from files (`corpus_bytes` returns their total).
        extends: A table whose words are kept, however rare they are. The tokenizer has all its words with their ids,
            then the new ones, and `token_ids` are those of the words of the text.

    Raises:
        CorpusError: the corpus cannot be read as text, or holds no words.
        MissingExtraError: a .zst file without zstandard.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ids = encode_corpus(["The cat.", "the dog"], folder, options=TextOptions(min_count=1))
    >>> ids.vocabulary, ids.counts.tolist(), ids.size
    (['the', 'cat', 'dog'], [2, 1, 1], 6)
    """
    pieces, token_lists = open_corpus(corpus, column=options.column, on_bytes=on_bytes)

    def write_ids(path: Path) -> ProvisionalIds:
        return scan_text(pieces, path, options) if pieces else read_token_lists(token_lists or (), path)

    return number_words(corpus, Path(folder), write_ids, options, extends=extends, is_text=pieces is not None)


def scan_text(pieces: Iterable[Piece], path: Path, options: TextOptions) -> ProvisionalIds:
    """Write the provisional ids of the words of a text to `path`."""
    if options.split == "whitespace":
        return read_token_lists(white_space_sentences(pieces, options.sentences), path)
    if options.pattern is not None:
        sentences = pattern_sentences(pieces, options.sentences, options.pattern, cased=options.cased)
        return read_token_lists(sentences, path)
    return scan_pieces(pieces, path, options)


def number_words(
    corpus: object,
    folder: Path,
    write_ids: Callable[[Path], ProvisionalIds],
    options: TextOptions,
    *,
    extends: Table | None = None,
    is_text: bool = True,
) -> IdCorpus:
    """Return the corpus of provisional ids that `write_ids` writes to a path, with a tokenizer.

    Args:
        corpus: What was read, for messages.
        folder: An existing folder.
        write_ids: Writes the provisional ids.
        options: How text becomes words and ids.
        extends: A table whose words are kept; see `encode_corpus`.
        is_text: Whether the corpus is text, not token lists.

    Raises:
        CorpusError: There are no words, or none that is frequent.
    """
    unspaced = unspaced_words(extends.tokenizer) if extends is not None and is_text else []

    def write_words(path: Path) -> ProvisionalIds:
        provisional = write_ids(path)
        if options.pattern is not None and not provisional.counts.any():
            raise CorpusError(f"nothing in the corpus matches the pattern {options.pattern!r}; give another one")
        if extends is None and is_text:
            unspaced.extend(words_within(corpus, provisional, options))
        divided = divide_phrases(provisional, unspaced, path)
        if extends is not None and is_text and options.split == "words" and options.pattern is None:
            warn_of_other_words(divided, extends)
        return divided

    id_corpus, _ = renumber(
        corpus,
        folder,
        write_words,
        min_count=options.min_count,
        max_vocabulary=options.max_vocabulary,
        known=extends,
    )
    vocabulary = id_corpus.vocabulary if extends is None else _extend(extends, id_corpus)
    id_corpus.tokenizer = words_json(vocabulary, options, is_text=is_text, unspaced=unspaced)
    return id_corpus


def words_json(
    vocabulary: list[str], options: TextOptions, *, is_text: bool = True, unspaced: Collection[str] = ()
) -> str:
    """Return the tokenizer.json that splits text as the corpus was split, and finds `unspaced` words in phrases."""
    if not is_text or options.split == "whitespace":
        return whitespace_json(vocabulary)
    if options.pattern is not None:
        return pattern_json(vocabulary, options.pattern, cased=options.cased)
    return WordTokenizer(vocabulary, cased=options.cased, unspaced=unspaced).to_json()


def _extend(table: Table, id_corpus: IdCorpus) -> list[str]:
    """Set the corpus's `token_ids` and `extended`; return the words of the table, then those of the text only."""
    ids = table.find(id_corpus.vocabulary)
    is_new = ids < 0
    ids[is_new] = len(table) + np.arange(is_new.sum())
    id_corpus.token_ids, id_corpus.extended = ids, len(table)
    return [*table.vocabulary, *(id_corpus.vocabulary[i] for i in np.flatnonzero(is_new))]
