"""fastText's model files: .bin read and written, .ftz (quantized, also pruned) read.

A word's row is the mean of its own row and its n-gram rows, bit for bit as in fastText; the n-grams become the table's
`subwords`, mapped. Counts are kept, and the settings under rowspace's names. Word and n-gram rows are written; the
output matrix, which predicts words, is not part of a table, and is written as zeros. Source: fastText 0.9, `FastText`,
`Dictionary`.
"""

import dataclasses
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import StrPath, atomic_file, check_file_target
from rowspace._base.parallel import available_cores
from rowspace._base.plural import plural
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.content import map_content, read_start, read_unpacked_start
from rowspace.files.mapped import BinaryReader
from rowspace.store.model_formats.fasttext_dictionary import (
    MAGIC,
    VERSIONS,
    Arguments,
    Words,
    read_words,
    start_bytes,
    words_bytes,
)
from rowspace.store.model_formats.fasttext_quantized import read_quantized
from rowspace.store.words import as_float32, decode_words, table_without_duplicates
from rowspace.subwords.composition import compose_rows, list_places
from rowspace.subwords.hashing import NO_ROW, SparsePlaces, Subwords
from rowspace.table import Table

__all__ = ["check_target", "load", "recognizes", "save"]

BUCKETS_AT_ONCE = 16_384
MAX_NGRAMS = 1 << 22  # of one word, and of the words that are composed at once
NGRAMS_PER_BYTE = 64  # of the file; a real model, with n-grams of 3 to 6 characters, has less than 4


def load(path: StrPath, *, limit: int | None = None) -> Table:
    """Open the model in the file `path`, or its first `limit` words; labels of a classifier are left out.

    Rows (V, d) are float32. Without n-grams they are mapped; else they are composed in memory, and the n-grams' rows
    are mapped. Raises `FileFormatError`, with the byte, if the file is truncated, damaged or of a newer version.
    """
    source = os.fspath(path)
    reader = BinaryReader(map_content(Path(path)), source)
    arguments, words = _start(reader)
    quantized = reader.flag("whether rows are quantized")
    matrix = read_quantized(reader) if quantized else _read_matrix(reader)
    _check_end(reader, quantized=quantized)
    size = len(words.counts) if limit is None else min(limit, len(words.counts))
    tokens = decode_words(reader.data, words.places[:size], source)
    rows, subwords = matrix[:size], None
    if arguments.max_n > 0:
        counts = _check_ngrams(words, arguments, reader.data.size, source)
        subwords = _subwords(matrix, arguments, words, size, source)
        rows = _composed(tokens, subwords, counts)
    elif len(matrix) < len(words.counts):
        raise FileFormatError(
            f"{source}: has {plural(len(matrix), 'row')} for {plural(len(words.counts), 'word')}; it is damaged"
        )
    table = table_without_duplicates(tokens, rows, source, words.counts[:size])
    table.settings.update(arguments.settings())
    table.subwords = _for_tokens(subwords, tokens, table)
    return table


def save(table: Table, path: StrPath) -> None:
    """Write `table` to `path` as an unquantized model; rows become float32.

    A bucket that no n-gram has used is a row of zeros, so the file holds all buckets. Without counts words count 1.
    Raises `UsageError` where n-grams were pruned, which the format cannot represent, or a token holds a NUL, and
    otherwise as `rowspace.store.save` does.
    """
    subwords = table.subwords
    if subwords is not None and subwords.is_pruned:
        raise UsageError(
            "n-grams of this table were pruned, which only quantized models can represent; save it as 'native'"
        )
    start = start_bytes(table) + words_bytes(table)
    check_target(path)
    with atomic_file(path) as file:
        file.write(start)
        for piece in _matrix_pieces(table):
            file.write(piece)
        file.write(b"\0" + np.array([len(table), table.dim], "<i8").tobytes())
        for begin in range(0, len(table), BUCKETS_AT_ONCE):
            file.write(bytes(4 * table.dim * min(BUCKETS_AT_ONCE, len(table) - begin)))


def recognizes(path: Path) -> bool:
    """Whether the file `path` begins as fastText's models do."""
    return _recognizes_start(read_unpacked_start(path))


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    check_file_target(path, is_same_kind=lambda target: _recognizes_start(read_start(target)))


def _recognizes_start(start: bytes) -> bool:
    return start[:4] == MAGIC.to_bytes(4, "little")


def _start(reader: BinaryReader) -> tuple[Arguments, Words]:
    magic, version = reader.numbers("<i4", 2, "its magic number and version").tolist()
    if magic != MAGIC or version not in VERSIONS:
        raise FileFormatError(
            f"{reader.source}: byte 0: magic number {magic} and version {version}, but fastText's are {MAGIC} and "
            f"{' or '.join(map(str, VERSIONS))}; download it again"
        )
    arguments = Arguments.read(reader)
    if version == min(VERSIONS) and arguments.model == "supervised":
        arguments = dataclasses.replace(arguments, max_n=0)  # old classifiers had no n-grams
    return arguments, read_words(reader)


def _read_matrix(reader: BinaryReader) -> NDArray[Any]:
    """Map a matrix of float32, (m, d)."""
    return reader.matrix("<f4", *reader.sizes("the sizes of a matrix"), "its rows")


def _check_end(reader: BinaryReader, *, quantized: bool) -> None:
    """Check the output matrix, which predicts words or labels, up to the end of the file."""
    if reader.flag("whether what it predicts with is quantized") and quantized:
        read_quantized(reader)
    else:
        _read_matrix(reader)
    reader.end()


def _subwords(matrix: NDArray[Any], arguments: Arguments, words: Words, size: int, source: str) -> Subwords:
    """Return the n-gram rows, which follow the words' in the matrix."""
    known = len(words.counts)
    buckets = words.kept_buckets
    needed = known + (arguments.buckets if buckets is None else len(buckets))
    if arguments.buckets < 1 or len(matrix) < needed:
        raise FileFormatError(
            f"{source}: has {len(matrix):,} rows for {known:,} words and {needed - known:,} n-grams in "
            f"{arguments.buckets:,} buckets; it is damaged, download it again"
        )
    least, most = max(1, arguments.min_n), arguments.max_n
    if buckets is None:
        places = np.arange(arguments.buckets, dtype=np.int32)
        return Subwords(matrix[known:needed], matrix[:size], places, least, most)
    outside = buckets[(buckets < 0) | (buckets >= [arguments.buckets, len(buckets)])]
    if outside.size:
        raise FileFormatError(f"{source}: keeps bucket or row {outside[0]}, which does not exist; download it again")
    kept, last = np.unique(buckets[::-1, 0], return_index=True)  # the last of duplicated buckets counts
    sparse = SparsePlaces(kept, buckets[::-1, 1][last], arguments.buckets)
    return Subwords(matrix[known:needed], matrix[:size], sparse, least, most)


def _check_ngrams(words: Words, arguments: Arguments, total: int, source: str) -> NDArray[np.int64]:
    """Return how many n-grams each word can have at most; raises if there are more than in any real model."""
    lengths = words.places[:, 1] - words.places[:, 0] + 2
    counts: NDArray[np.int64] = lengths * np.minimum(lengths, arguments.max_n - arguments.min_n + 1)
    if counts.max(initial=0) > MAX_NGRAMS or counts.sum() > NGRAMS_PER_BYTE * total:
        raise FileFormatError(
            f"{source}: its words have up to {counts.sum():,} n-grams of {arguments.min_n} to {arguments.max_n} "
            "characters, which no real model has; it is damaged, download it again"
        )
    return counts


def _composed(tokens: list[str], subwords: Subwords, counts: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the rows of the words, a few thousand at a time, since the lists of n-grams are larger than the rows."""
    rows = np.empty(subwords.own.shape, np.float32)
    blocks = np.flatnonzero(np.diff(np.cumsum(counts[: len(tokens)]) // MAX_NGRAMS, prepend=-1))
    for begin, end in pairwise([*blocks.tolist(), len(tokens)]):
        listed = list_places(tokens[begin:end], subwords)
        rows[begin:end] = compose_rows(subwords.own[begin:end], subwords.rows, listed, threads=available_cores())
    return rows


def _for_tokens(subwords: Subwords | None, tokens: list[str], table: Table) -> Subwords | None:
    """Leave out the own rows of duplicated tokens, as the table does."""
    if subwords is None or len(tokens) == len(table):
        return subwords
    first = {token: number for number, token in reversed(list(enumerate(tokens)))}
    return dataclasses.replace(subwords, own=subwords.own[[first[token] for token in table.vocabulary]])


def _matrix_pieces(table: Table) -> Iterator[bytes]:
    """Yield the words' own rows, and then a row for each bucket."""
    subwords = table.subwords
    own = table.rows if subwords is None else subwords.own
    buckets = 0 if subwords is None else len(subwords.places)
    yield b"\0" + np.array([len(table) + buckets, table.dim], "<i8").tobytes()
    for begin in range(0, len(own), BUCKETS_AT_ONCE):
        yield as_float32(own[begin : begin + BUCKETS_AT_ONCE]).tobytes()
    if subwords is None:
        return
    for begin in range(0, buckets, BUCKETS_AT_ONCE):
        places = subwords.places[np.arange(begin, min(begin + BUCKETS_AT_ONCE, buckets))]
        rows = np.zeros((len(places), table.dim), "<f4")
        rows[places != NO_ROW] = subwords.rows[places[places != NO_ROW]]
        yield rows.tobytes()
