"""A corpus → ids on disk, of the tokens of any tokenizer of the `tokenizers` library: opened, or trained on the corpus.

The first pass encodes batches of sentences on several threads and writes the tokenizer's ids; the second gives the
tokens that occur new ids by falling count, which is what training reads. `IdCorpus.token_ids` maps them back.
"""

import dataclasses
import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rowspace._base import in_batches
from rowspace.errors import UsageError
from rowspace.text.corpus.open_corpus import Corpus
from rowspace.text.corpus.reading import Piece
from rowspace.text.corpus.rereadable import RereadableCorpus, text_pieces
from rowspace.text.corpus.sentences import Run, Sentences
from rowspace.text.ids.id_corpus import IDS_NAME, IdCorpus
from rowspace.text.ids.provisional_ids import ProvisionalIds
from rowspace.text.ids.renumber import renumber
from rowspace.text.options import TextOptions
from rowspace.text.tokenizer_options import TokenizerOptions
from rowspace.text.tokenizers.huggingface import HuggingFaceTokenizer, require_huggingface
from rowspace.text.tokenizers.huggingface_library import library_threads, tokens_by_id
from rowspace.text.tokenizers.open_tokenizer import open_tokenizer
from rowspace.text.training.train import train_tokenizer
from rowspace.text.words import kernels

__all__ = ["encode_pieces", "encode_tokens", "without_token"]

_DEFAULTS = TextOptions()
_BATCH = 1 << 18  # characters that a worker encodes at a time
_IN_FLIGHT = 2  # batches for each worker: one running, one waiting


def encode_tokens(
    corpus: Corpus,
    folder: str | os.PathLike[str],
    *,
    tokens: TokenizerOptions,
    options: TextOptions = _DEFAULTS,
    on_bytes: Callable[[int], None] | None = None,
    learns_unknown: bool = True,
) -> IdCorpus:
    """Write the ids of a corpus's tokens to `folder`.

    Every sentence is encoded by itself, without special tokens around it. The result is the same with any number of
    workers. To train a tokenizer, the corpus is read once more before; what can be read only once (standard input, a
    generator) is copied to `folder` during that pass.

    Args:
        corpus: Paths or texts, see `open_corpus`.
        folder: An existing folder.
        tokens: The tokenizer to open or train.
        options: How text becomes ids; those for words (`cased`, `min_count`, `max_vocabulary`) are not used.
        on_bytes: Called with the number of bytes read from files, in both passes.
        learns_unknown: Whether the token for unknown text is one of the tokens; otherwise it is left out.

    Raises:
        CorpusError: the corpus cannot be read as text, or holds no words.
        UsageError: the corpus is token lists, or the tokenizer fails on the text.
        FileFormatError: the tokenizer does not open.
        MissingExtraError: a .zst file without zstandard.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ids = encode_tokens(["abba"], folder, tokens=TokenizerOptions("bytes"))
    ...     ids.vocabulary, ids.token_ids.tolist(), ids.ids().tolist()
    (['a', 'b'], [97, 98], [0, 1, 1, 0, -1])
    """
    copy = Path(folder, f"{IDS_NAME}.text")
    try:
        if tokens.reads_text:
            source = RereadableCorpus(corpus, copy, column=options.column, on_bytes=on_bytes)
            with library_threads(several=options.workers > 1):
                texts = (run.text for run in Sentences(source.first(), options.sentences))
                tokenizer = Tokenizer.from_str(train_tokenizer(texts, tokens))
            pieces = source.again()
        else:
            tokenizer = _without_training(tokens)
            pieces = text_pieces(corpus, column=options.column, on_bytes=on_bytes)

        def write_ids(path: Path) -> ProvisionalIds:
            written = encode_pieces(tokenizer, pieces, path, options)
            return written if learns_unknown else without_token(written, HuggingFaceTokenizer(tokenizer).unknown_id)

        id_corpus, order = renumber(corpus, Path(folder), write_ids)
    finally:
        copy.unlink(missing_ok=True)
    id_corpus.tokenizer, id_corpus.token_ids = tokenizer.to_str(), order
    return id_corpus


def _without_training(tokens: TokenizerOptions) -> Tokenizer:
    """Return a tokenizer that needs no training."""
    if tokens.is_trained:
        return Tokenizer.from_str(train_tokenizer((), tokens))
    tokenizer = open_tokenizer(os.fspath(tokens.tokens))
    library = require_huggingface(tokenizer, "fit")
    return library if tokenizer.json is None else Tokenizer.from_str(tokenizer.json)


def encode_pieces(tokenizer: Tokenizer, pieces: Iterable[Piece], path: Path, options: TextOptions) -> ProvisionalIds:
    """Write the tokenizer's ids of a text to `path`."""
    vocabulary = tokens_by_id(tokenizer)
    encoder = Tokenizer.from_str(tokenizer.to_str())
    encoder.no_truncation()
    encoder.no_padding()
    sentences = Sentences(pieces, options.sentences)
    counts, lengths = np.zeros(len(vocabulary), np.int64), list[int]()
    waiting: deque[Future[NDArray[np.int32]]] = deque()
    with (
        path.open("wb") as file,
        library_threads(several=False),
        ThreadPoolExecutor(options.workers) as threads,
    ):

        def write_oldest() -> None:
            ids = waiting.popleft().result()
            file.write(ids.data)
            lengths.append(len(ids))
            counts[:] += np.bincount(ids[ids >= 0], minlength=len(counts))

        for batch in in_batches(sentences, lambda run: len(run.text), _BATCH):
            waiting.append(threads.submit(_ids, encoder, batch))
            if len(waiting) >= _IN_FLIGHT * options.workers:
                write_oldest()
        while waiting:
            write_oldest()
    return ProvisionalIds(
        lengths=lengths,
        merged=[np.arange(len(vocabulary), dtype=np.int32)],
        counts=counts,
        token=lambda identity: vocabulary[identity].encode(),
        replaced=sentences.replaced,
    )


def without_token(provisional: ProvisionalIds, token: int | None) -> ProvisionalIds:
    """Return ids of which one token is left out, such as the one for unknown words, which is no word to learn."""
    counts = provisional.counts.copy()
    counts[[] if token is None else token] = 0
    return dataclasses.replace(provisional, counts=counts)


def _ids(encoder: Tokenizer, batch: list[Run]) -> NDArray[np.int32]:
    """Return the ids of some text, with an end after each sentence."""
    try:
        encodings = encoder.encode_batch_fast([run.text for run in batch], add_special_tokens=False)
    except Exception as error:  # the library raises nothing narrower
        raise UsageError(f"the tokenizer fails on this corpus ({error}); give it an unknown token") from error
    flat = list[int]()
    for run, encoding in zip(batch, encodings, strict=True):
        flat += encoding.ids
        if run.ends:
            flat.append(kernels.END)
    return np.array(flat, "<i4")
