"""fastText's model files with all that training needs: its arguments, words, rows, and the output matrix.

`rowspace.load` reads the same files as tables, which have no output matrix. Source: fastText 0.9, `FastText`, `Args`,
`Dictionary`.
"""

import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import atomic_file
from rowspace.compat.gensim.errors import UnsupportedModelError
from rowspace.compat.gensim.opening import check_exists
from rowspace.errors import UsageError
from rowspace.files.content import map_content
from rowspace.files.mapped import BinaryReader
from rowspace.store.model_formats.fasttext_dictionary import (
    MAGIC,
    VERSIONS,
    FileArguments,
    Words,
    read_entries,
    read_words,
)

__all__ = ["FacebookModel", "read_facebook", "write_facebook"]

Rows = NDArray[np.float32]
SOFTMAX, NEGATIVE_SAMPLING = 1, 2  # losses
CBOW, SKIPGRAM, SUPERVISED = 1, 2, 3  # models
MAX_LOSS, MAX_DIM = 4, 1 << 16


class FacebookModel(NamedTuple):
    """The contents of a file."""

    arguments: FileArguments
    words: list[str]
    counts: NDArray[np.int64]
    tokens: int  # words of the text
    inputs: Rows  # (V + buckets, d)
    outputs: Rows  # (V, d); no rows if it was not read


def read_facebook(path: Any, *, encoding: str = "utf-8", with_outputs: bool = True) -> FacebookModel:
    """Read a model.

    Args:
        path: A .bin file.
        encoding: The encoding of the words; invalid bytes are shown as escapes, as gensim does.
        with_outputs: Also read the output matrix.

    Raises:
        MissingFileError: There is no such file.
        UnsupportedModelError: It is a classifier or quantized.
        FileFormatError: It is damaged.
    """
    check_exists(path)
    reader = BinaryReader(map_content(Path(path)), str(path))
    has_magic = _skip_magic(reader)
    arguments = _read_arguments(reader, has_magic)
    tokens = int(reader.data[reader.place + 12 : reader.place + 20].view("<i8")[0])
    dictionary = read_words(reader) if has_magic else _read_old_words(reader)
    if dictionary.kept_buckets is not None or (has_magic and reader.flag("whether its rows are quantized")):
        raise UnsupportedModelError(f"{path} is a quantized model, which cannot be trained; use rowspace.load")
    words = [reader.data[first:end].tobytes().decode(encoding, "backslashreplace") for first, end in dictionary.places]
    inputs = reader.matrix("<f4", *reader.sizes("the sizes of its rows"), "its rows")
    outputs = inputs[:0]
    if with_outputs and not (has_magic and reader.flag("whether its output rows are quantized")):
        outputs = reader.matrix("<f4", *reader.sizes("the sizes of its output rows"), "its output rows")
    return FacebookModel(arguments, words, dictionary.counts, tokens, inputs, outputs)


def _skip_magic(reader: BinaryReader) -> bool:
    """Go past the magic number and the version; return False for the oldest models, which have neither."""
    magic, version = reader.numbers("<i4", 2, "its magic number and version").tolist()
    if magic == MAGIC and version in VERSIONS:
        return True
    reader.place = 0
    return False


def _read_arguments(reader: BinaryReader, has_magic: bool) -> FileArguments:
    """Read the training arguments."""
    arguments = FileArguments.read(reader)
    is_plausible = min(arguments[:12]) >= 0 and arguments.loss <= MAX_LOSS and arguments.dim < MAX_DIM
    if not is_plausible or not (has_magic or 1 <= arguments.model <= SUPERVISED):
        raise UnsupportedModelError(
            f"{reader.source} is not a model of fastText; open vectors with KeyedVectors.load_word2vec_format"
        )
    if arguments.model not in (CBOW, SKIPGRAM):
        raise UnsupportedModelError(
            f"{reader.source} is a classifier of fastText, which FastText does not have; use rowspace.load"
        )
    return arguments


def _read_old_words(reader: BinaryReader) -> Words:
    """Read a dictionary without the number of n-grams that were pruned."""
    size, words, labels = reader.numbers("<i4", 3, "how many words it has").tolist()
    reader.numbers("<i8", 1, "how many words its text had")
    if min(words, labels) < 0 or size != words + labels:
        raise reader.error(f"{size:,} entries of {words:,} words and {labels:,} labels", 20)
    return Words(*read_entries(reader, size), None)


def write_facebook(model: FacebookModel, path: Any, *, encoding: str = "utf-8") -> None:
    """Write a model; an older file is replaced atomically.

    Args:
        model: What to write.
        path: The path.
        encoding: The encoding of the words.

    Raises:
        UsageError: A word holds a NUL.
    """
    if any("\0" in word for word in model.words):
        raise UsageError("a word holds a NUL, which ends a word in fastText's files; save the model with save")
    with atomic_file(path) as file:
        file.write(model.arguments.to_bytes())
        file.write(struct.pack("<3i2q", len(model.words), len(model.words), 0, model.tokens, -1))
        for word, count in zip(model.words, model.counts.tolist(), strict=True):
            file.write(word.encode(encoding) + struct.pack("<xqb", count, 0))
        for rows in (model.inputs, model.outputs):
            stored = np.ascontiguousarray(rows, "<f4")
            file.write(b"\0" + struct.pack("<2q", *stored.shape))
            file.write(stored.data)
