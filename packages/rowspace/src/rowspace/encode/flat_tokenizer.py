"""A tokenizer.json → ids of many texts as flat arrays, by the fastest way that is exact."""

import json
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rowspace._base.parallel import map_ranges, split_range
from rowspace.encode.texts import FlatIds, TextBuffer
from rowspace.encode.usage import Counters, NumbaSwitch
from rowspace.errors import FileFormatError
from rowspace.text.tokenizers.huggingface_library import translate_errors, validate_merges
from rowspace.text.tokenizers.tokenizer import encoding_error

if TYPE_CHECKING:
    from rowspace.encode.scanners import Scanner

__all__ = ["FlatTokenizer", "TokenizerUsage"]

TEXTS_PER_PIECE = 512  # fewest texts that are worth a thread


class TokenizerUsage(NamedTuple):
    """Which way texts went since the tokenizer was made.

    Attributes:
        scanned_texts: Texts whose ids a scanner gave.
        scanned_bytes: Their bytes of UTF-8.
        library_texts: Texts whose ids the `tokenizers` library gave.
        library_bytes: Their bytes of UTF-8.
    """

    scanned_texts: int
    scanned_bytes: int
    library_texts: int
    library_bytes: int


class FlatTokenizer:
    """Texts → ids, equal to those of the `tokenizers` library without special tokens, padding and truncation.

    Args:
        text: The content of a tokenizer.json.
        scan: Use a scanner where there is one for this tokenizer.
        source: Its name in messages.

    Raises:
        FileFormatError: It is not a tokenizer.json that the library opens.

    >>> from rowspace.text import whitespace_json
    >>> tokenizer = FlatTokenizer(whitespace_json(["the", "cat"]))
    >>> tokenizer.encode(["the cat", "", "cat"])
    FlatIds(ids=array([0, 1, 1], dtype=int32), indptr=array([0, 2, 2, 3]))
    """

    def __init__(self, text: str, *, scan: bool = True, source: str = "the tokenizer") -> None:
        validate_merges(text, source)
        with translate_errors(source):
            self.library = Tokenizer.from_str(text)
        self.library.no_truncation()
        self.library.no_padding()
        self._source = source
        self._scan = scan
        self._switch = NumbaSwitch()
        self._counters = Counters(4)

    @cached_property
    def scanner(self) -> "Scanner | None":
        """The scanner for this tokenizer, or None; it is built when it is first needed."""
        if not self._scan or not _ids_are_unique(self.library):
            return None
        from rowspace.encode.scanners import SCANNERS

        document = json.loads(self.library.to_str())
        found = (recognize(document) for recognize in SCANNERS)
        return next((scanner for scanner in found if scanner is not None), None)

    @cached_property
    def unknown_id(self) -> int | None:
        """The id of the unknown token."""
        model = self.library.model
        if not hasattr(model, "unk_token"):
            number: int | None = json.loads(self.library.to_str())["model"].get("unk_id")  # Unigram
            return number
        return None if model.unk_token is None else self.library.token_to_id(model.unk_token)

    @property
    def usage(self) -> TokenizerUsage:
        """How many texts went through the scanner and through the library."""
        return TokenizerUsage(*self._counters.totals())

    def encode(self, texts: Sequence[str], *, workers: int | None = None) -> FlatIds:
        """Return the ids of texts.

        Args:
            texts: The texts.
            workers: Number of threads of a scanner; by default one per core.
        """
        scan = self._switch.is_on_for(texts)

        def encode_piece(first: int, last: int) -> FlatIds:  # joins its texts while other threads scan theirs
            return self.encode_range(TextBuffer.of(texts[first:last]), 0, last - first, scan=scan)

        return FlatIds.join(map_ranges(encode_piece, split_range(len(texts), minimum=TEXTS_PER_PIECE), threads=workers))

    def encode_range(self, buffer: TextBuffer, first: int, last: int, *, scan: bool = True) -> FlatIds:
        """Return the ids of texts first … last - 1 of a buffer; several threads may call it at a time.

        Args:
            buffer: The texts.
            first: The first text.
            last: The text after the last.
            scan: Use the scanner, if there is one, which imports numba.
        """
        total = int(buffer.indptr[last] - buffer.indptr[first])
        scanner = self.scanner if scan else None
        if scanner is None:
            self._counters.add(0, 0, last - first, total)
            return self._by_library(buffer, range(first, last))
        ids, left = scanner.scan(buffer, first, last)
        if not left.size:
            self._counters.add(last - first, total, 0, 0)
            return ids
        indices = left + first
        by_library = int((buffer.indptr[indices + 1] - buffer.indptr[indices]).sum())
        self._counters.add(last - first - left.size, total - by_library, left.size, by_library)
        return _fill(ids, left, self._by_library(buffer, indices.tolist()))

    def _by_library(self, buffer: TextBuffer, indices: Sequence[int]) -> FlatIds:
        texts = [buffer.text(index) for index in indices]
        try:
            if len(texts) == 1:  # without the library's threads
                return FlatIds.of([self.library.encode(texts[0], add_special_tokens=False).ids])
            encodings = self.library.encode_batch_fast(texts, add_special_tokens=False)
            return FlatIds.of([encoding.ids for encoding in encodings])
        except OverflowError:
            raise FileFormatError(
                f"{self._source}: has ids of 2,147,483,648 and more, which no table has; restore the file"
            ) from None
        except BaseException as error:  # the library raises nothing narrower
            raise encoding_error(error, texts, "give it an unknown token") from error


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
