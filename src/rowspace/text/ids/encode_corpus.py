"""A corpus → ids on disk: the scan on several threads, the vocabulary, and the final ids.

The first pass writes ids as each worker's lexicon gives them, in blocks; then the lexicons become one
vocabulary, and a second pass over the ids, one block at a time, makes them final. Memory grows with the
distinct words only. Left out: what a corpus is (corpus.py), how words are found (kernels.py), the second pass
(final_ids.py), tokens that are no words (encode_tokens.py).
"""

import os
from collections.abc import Callable
from pathlib import Path

from rowspace.files.tokenizer_json import whitespace_json
from rowspace.text.corpus.open_corpus import Corpus, open_corpus
from rowspace.text.ids.id_corpus import IdCorpus
from rowspace.text.ids.provisional_ids import FirstPass, read_token_lists, scan_pieces
from rowspace.text.ids.renumber import finish_corpus
from rowspace.text.options import TextOptions
from rowspace.text.words.word_tokenizer import WordTokenizer

__all__ = ["encode_corpus"]

_DEFAULTS = TextOptions()


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

    def first_pass(path: Path) -> FirstPass:
        return scan_pieces(pieces, path, options) if pieces else read_token_lists(token_lists or (), path)

    found, _ = finish_corpus(
        corpus, Path(directory), first_pass, min_count=options.min_count, max_vocabulary=options.max_vocabulary
    )
    words = WordTokenizer(found.vocabulary, cased=options.cased).to_json() if pieces else None
    found.tokenizer = words or whitespace_json(found.vocabulary)
    return found
