"""A tokenizer.json → ids of many texts as flat arrays, by the fastest way that is exact."""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rowspace._base.parallel import map_ranges, split_range
from rowspace.encode.scanners import SCANNERS, Scanner
from rowspace.encode.texts import FlatIds, TextBuffer
from rowspace.text.tokenizers.huggingface import HuggingFaceTokenizer

__all__ = ["FlatTokenizer", "Usage"]

TEXTS_PER_PIECE = 512  # fewest texts that are worth a thread


@dataclass
class Usage:
    """Which way texts went since the tokenizer was made.

    Attributes:
        scanned_texts: Texts whose ids a scanner gave.
        scanned_bytes: Their bytes of UTF-8.
        library_texts: Texts whose ids the `tokenizers` library gave.
        library_bytes: Their bytes of UTF-8.
    """

    scanned_texts: int = 0
    scanned_bytes: int = 0
    library_texts: int = 0
    library_bytes: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def add(self, *, texts: tuple[int, int], bytes_: tuple[int, int]) -> None:
        """Count texts and bytes, each as (scanned, by the library)."""
        with self._lock:
            self.scanned_texts += texts[0]
            self.library_texts += texts[1]
            self.scanned_bytes += bytes_[0]
            self.library_bytes += bytes_[1]


class FlatTokenizer:
    """Texts → ids, equal to those of the `tokenizers` library without special tokens, padding and truncation.

    Args:
        text: The content of a tokenizer.json.
        scan: Use a scanner where there is one for this tokenizer.
        source: Its name in messages.

    Attributes:
        scanner: The scanner for this tokenizer, or None.
        usage: How many texts went through the scanner and through the library.

    Raises:
        FileFormatError: It is not a tokenizer.json that the library opens.

    >>> from rowspace.text import whitespace_json
    >>> tokenizer = FlatTokenizer(whitespace_json(["the", "cat"]))
    >>> tokenizer.encode(["the cat", "", "cat"])
    FlatIds(ids=array([0, 1, 1], dtype=int32), indptr=array([0, 2, 2, 3]))
    """

    def __init__(self, text: str, *, scan: bool = True, source: str = "the tokenizer") -> None:
        opened = HuggingFaceTokenizer.from_json(text, source)
        self.library: Tokenizer = opened.library
        self.unknown_id = opened.unknown_id
        scan = scan and _ids_are_unique(self.library)
        document = json.loads(self.library.to_str()) if scan else {}
        found = (recognize(document) for recognize in SCANNERS) if scan else iter(())
        self.scanner: Scanner | None = next((scanner for scanner in found if scanner is not None), None)
        self.usage = Usage()

    def encode(self, texts: Sequence[str], *, workers: int | None = None) -> FlatIds:
        """Return the ids of texts.

        Args:
            texts: The texts.
            workers: Number of threads of a scanner; by default one per core.
        """
        buffer = TextBuffer.of(texts)
        pieces = split_range(len(texts), least=TEXTS_PER_PIECE)
        return FlatIds.join(map_ranges(lambda *piece: self.encode_range(buffer, *piece), pieces, threads=workers))

    def encode_range(self, buffer: TextBuffer, first: int, last: int) -> FlatIds:
        """Return the ids of texts first … last - 1 of a buffer; several threads may call it at a time."""
        if self.scanner is None:
            ids, left = FlatIds.of([[]] * (last - first)), np.arange(last - first)
        else:
            ids, left = self.scanner.scan(buffer, first, last)
        sizes = np.diff(buffer.indptr[first : last + 1])
        by_library = int(sizes[left].sum())
        self.usage.add(texts=(last - first - left.size, left.size), bytes_=(int(sizes.sum()) - by_library, by_library))
        return _fill(ids, left, self._by_library(buffer, left + first)) if left.size else ids

    def _by_library(self, buffer: TextBuffer, indices: NDArray[np.int64]) -> FlatIds:
        texts = [buffer.text(index) for index in indices.tolist()]
        encodings = self.library.encode_batch_fast(texts, add_special_tokens=False)
        return FlatIds.of([encoding.ids for encoding in encodings])


def _ids_are_unique(library: Tokenizer) -> bool:
    """Return whether no two tokens share an id, of which the library would write only one to a tokenizer.json."""
    vocabulary = library.get_vocab(with_added_tokens=False)
    return len(set(vocabulary.values())) == len(vocabulary)


def _fill(ids: FlatIds, left: NDArray[np.int64], others: FlatIds) -> FlatIds:
    """Return `ids` with those of `others` for the texts `left`, which are empty in `ids`."""
    if left.size == ids.indptr.size - 1:
        return others
    lengths = np.diff(ids.indptr)
    lengths[left] = np.diff(others.indptr)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    is_other = np.zeros(lengths.size, np.bool_)
    is_other[left] = True
    mask = np.repeat(is_other, lengths)
    filled = np.empty(int(indptr[-1]), np.int32)
    filled[mask], filled[~mask] = others.ids, ids.ids
    return FlatIds(filled, indptr)
