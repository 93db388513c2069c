"""The beginning of a fastText model, before its rows: magic number, training arguments and dictionary.

Source: fastText 0.9, `Args`, `Dictionary`.
"""

import struct
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.files.mapped import BinaryReader
from rowspace.store.kernels import ENTRY, find_entries
from rowspace.store.words import encode_words
from rowspace.table import Table

__all__ = ["MAGIC", "VERSIONS", "Arguments", "FileArguments", "Words", "read_words", "start_bytes", "words_bytes"]

MAGIC, VERSIONS = 793712314, (11, 12)
MODELS = {1: "cbow", 2: "skipgram", 3: "supervised"}
NEGATIVE_SAMPLING = 2
MAX_WORD = 1 << 16  # bytes
ARGUMENTS = struct.Struct("<12id")


class FileArguments(NamedTuple):
    """The training arguments in the order of the file."""

    dim: int
    window: int
    epochs: int
    min_count: int
    negatives: int
    word_ngrams: int
    loss: int
    model: int
    buckets: int
    min_n: int
    max_n: int
    lr_update_rate: int
    sample: float

    @classmethod
    def read(cls, reader: BinaryReader) -> "FileArguments":
        """Read what follows the version."""
        return cls(*ARGUMENTS.unpack(reader.numbers("u1", ARGUMENTS.size, "how it was learned").tobytes()))

    def to_bytes(self) -> bytes:
        """Return the beginning of a file: the magic number, the version, and these."""
        return struct.pack("<2i", MAGIC, max(VERSIONS)) + ARGUMENTS.pack(*self)


@dataclass(frozen=True)
class Arguments:
    """The training arguments of a model that a table's settings have names for."""

    dim: int
    window: int
    epochs: int
    min_count: int
    negatives: int
    model: str
    buckets: int
    min_n: int
    max_n: int
    sample: float

    @classmethod
    def read(cls, reader: BinaryReader) -> "Arguments":
        """Read what follows the version."""
        dim, window, epochs, min_count, negatives, _, _, model, buckets, min_n, max_n, _, sample = FileArguments.read(
            reader
        )
        if model not in MODELS or min(dim, buckets, min_n, max_n) < 0:
            raise reader.error(
                f"model {model}, {dim:,} columns, {buckets:,} buckets, n-grams of {min_n} to {max_n}", 56
            )
        return cls(dim, window, epochs, min_count, negatives, MODELS[model], buckets, min_n, max_n, sample)

    def settings(self) -> dict[str, Any]:
        """Return them under the names of the options of `fit`."""
        named = vars(self) | {"subwords": self.max_n > 0}
        return named if self.max_n > 0 else {name: named[name] for name in named.keys() - {"buckets", "min_n", "max_n"}}


class Words(NamedTuple):
    """The words of a model, without labels: their positions, their counts, and the buckets that were not pruned."""

    places: NDArray[np.int64]  # (V, 2): first byte, and the one after the last
    counts: NDArray[np.int64]  # (V,)
    kept_buckets: NDArray[np.int32] | None  # (n, 2): bucket and its row, where others were pruned


def read_words(reader: BinaryReader) -> Words:
    """Read the dictionary at the reader's place."""
    size, words, labels = reader.numbers("<i4", 3, "how many words it has").tolist()
    _, kept = reader.numbers("<i8", 2, "how many n-grams are left").tolist()
    if min(words, labels) < 0 or size != words + labels or kept < -1:
        raise reader.error(f"{size:,} entries of {words:,} words and {labels:,} labels, {kept:,} n-grams", 28)
    places, counts = read_entries(reader, size)
    buckets = None if kept < 0 else reader.matrix("<i4", kept, 2, "the n-grams that are left")
    return Words(places[:words], counts[:words], buckets)


def read_entries(reader: BinaryReader, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read entries at the reader's place; return where words begin and end, (size, 2), and their counts."""
    reader.check(size * (1 + ENTRY), f"its {size:,} words")
    places, counts = np.empty((size, 2), np.int64), np.empty(size, np.int64)
    found, reader.place = find_entries(reader.data, reader.place, MAX_WORD, places, counts)
    if found < size:
        raise reader.error(f"entry {found + 1:,} of {size:,} is incomplete", 0)
    return places, counts


def start_bytes(table: Table) -> bytes:
    """Return the beginning of a model of `table`, with its settings where they fit."""
    subwords = table.subwords
    buckets, min_n, max_n = (0, 0, 0) if subwords is None else (len(subwords.places), subwords.min_n, subwords.max_n)

    def setting(name: str, default: int) -> int:
        value = table.settings.get(name)
        return value if isinstance(value, int) and 0 <= value < 2**31 else default

    model = {name: code for code, name in MODELS.items() if name != "supervised"}.get(
        str(table.settings.get("model")), 2
    )
    window, epochs, least = setting("window", 5), setting("epochs", 5), setting("min_count", 1)
    learned = (table.dim, window, epochs, least, setting("negatives", 5), 1, NEGATIVE_SAMPLING, model)
    sample = table.settings.get("sample")
    rate = float(sample) if isinstance(sample, (int, float)) else 1e-4
    return FileArguments(*learned, buckets, min_n, max_n, 100, rate).to_bytes()


def words_bytes(table: Table) -> bytes:
    """Return the dictionary of a model of `table`; raises `UsageError` for a token that it cannot hold."""
    words = encode_words(table.vocabulary, forbidden=b"\0", max_bytes=MAX_WORD, format="fastText")
    counts = np.ones(len(words), np.int64) if table.counts is None else table.counts
    start = struct.pack("<3i2q", len(words), len(words), 0, int(counts.sum()), -1)
    entries = [struct.pack("<xqb", count, 0) for count in counts.tolist()]
    return start + b"".join([part for entry in zip(words, entries, strict=True) for part in entry])
