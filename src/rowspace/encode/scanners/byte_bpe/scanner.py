"""`ByteBpeScanner`: byte-level BPE by kernels."""

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.byte_bpe.character_classes import changed_by_nfc, character_classes
from rowspace.encode.scanners.byte_bpe.model import ModelArrays
from rowspace.encode.scanners.byte_bpe.patterns import CutRule
from rowspace.encode.scanners.cache import WordCache
from rowspace.encode.scanners.scanner import Scanner
from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["ByteBpeScanner"]

PADDING = 16  # bytes after the texts, which kernels may read
MEMORY_SETS = 2**15  # of two pieces each, 2 MB for each thread
SPARE = 4  # ids after the last, which kernels may write


class ByteBpeScanner(Scanner):
    """The ids of byte-level BPE: a text is cut into pieces by a known pattern, and each piece is merged from bytes.

    It leaves texts with a possible added token to the library, and with NFC those with a character that NFC may change.

    Args:
        rule: How text is cut.
        model: The vocabulary and merges.
        added: The added tokens, as they are in texts.
        nfc: Whether the library normalizes texts to NFC.
    """

    def __init__(self, rule: CutRule, model: ModelArrays, *, added: Sequence[str] = (), nfc: bool = False) -> None:
        self.name = rule.name
        self.rule, self.model, self.added, self.nfc = rule, model, tuple(added), nfc
        self._idle: list[Any] = []

    def scan(self, buffer: TextBuffer, first: int, last: int) -> tuple[FlatIds, NDArray[np.int64]]:
        """Return the ids of texts first … last - 1, and which of these texts it leaves to the library."""
        from rowspace.encode.scanners.byte_bpe.kernels.heap import HEAP_SPACE
        from rowspace.encode.scanners.byte_bpe.kernels.scan import Output, Texts, scan

        texts = Texts(*self._with_padding(buffer, first, last))
        longest = int(np.diff(texts.indptr).max(initial=0))
        output = Output(
            ids=np.empty(int(texts.indptr[-1]) + SPARE, np.int32),
            indptr=np.empty(last - first + 1, np.int64),
            left=np.empty(last - first, np.bool_),
            scratch=np.empty(HEAP_SPACE * longest, np.int64),
        )
        guard, merges = self._tables
        known = self._take()
        scan(texts, (character_classes(), self.rule.digits), guard, merges, known, output)
        self._idle.append(known)
        ids = output.ids[: output.indptr[-1]].copy()
        return FlatIds(ids, output.indptr), np.flatnonzero(output.left)

    def _with_padding(
        self, buffer: TextBuffer, first: int, last: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return a copy of texts first … last - 1, with the blanks put before them, and where each begins."""
        begin, end = int(buffer.indptr[first]), int(buffer.indptr[last])
        indptr = buffer.indptr[first : last + 1] - begin
        data = np.empty(end - begin + PADDING, np.uint8)
        data[: end - begin] = buffer.data[begin:end]
        data[end - begin :] = 0
        if self.rule.prefix_space:
            starts = indptr[:-1]
            wanted = (starts < indptr[1:]) & (data[starts] != ord(" "))
            data = np.insert(data, starts[wanted], np.uint8(ord(" ")))
            indptr = indptr + np.concatenate([[0], np.cumsum(wanted)])
        return data, indptr

    def _take(self) -> Any:
        """Return what pieces were met before, which no other thread has."""
        from rowspace.encode.scanners.byte_bpe.kernels.scan import Known

        try:
            return self._idle.pop()
        except IndexError:
            return Known(_aligned_zeros(MEMORY_SETS), WordCache.empty())

    @cached_property
    def _tables(self) -> tuple[Any, Any]:
        """The arrays of the guard and of the model."""
        from rowspace.encode.scanners.byte_bpe.kernels.guard import Guard
        from rowspace.encode.scanners.byte_bpe.kernels.merge import Merges, enter_merges, enter_tokens

        tokens, starts = _join([token.encode() for token in self.added])
        first, pairs = np.zeros(256, np.bool_), np.zeros((256, 256), np.bool_)
        for token in self.added:
            head = token.encode()[:2]
            first[head[0]] = True
            pairs[(head[0], slice(None)) if len(head) == 1 else (head[0], head[1])] = True
        unsafe = changed_by_nfc() if self.nfc else _read_only(np.empty(0, np.bool_))
        guard = Guard(np.flatnonzero(first).astype(np.uint8), first, pairs.ravel(), tokens, starts, unsafe)

        entries = np.full((_slots(len(self.model.merges)), 2), -1, np.int64)
        enter_merges(entries, self.model.merges)
        arena, starts = _join(self.model.tokens)
        slots = np.zeros(_slots(len(starts)) if self.model.whole_first else 0, np.int64)
        if self.model.whole_first:
            enter_tokens(slots, starts, arena)
        return guard, Merges(self.model.byte_ids, entries, slots, starts, arena)

    def __getstate__(self) -> dict[str, Any]:
        return {**{name: value for name, value in vars(self).items() if name != "_tables"}, "_idle": []}


def _aligned_zeros(sets: int) -> NDArray[np.uint64]:
    """Return uint64 (sets, 8), each row in one line of the processor's cache."""
    numbers = np.zeros(8 * sets + 8, np.uint64)
    first = -(numbers.ctypes.data // 8) % 8
    return numbers[first : first + 8 * sets].reshape(sets, 8)


def _join(tokens: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return byte strings next to each other, and where each begins."""
    starts = np.fromiter(accumulate(map(len, tokens), initial=0), np.int64, len(tokens) + 1)
    return np.frombuffer(bytearray().join(tokens), np.uint8), starts


def _slots(entries: int) -> int:
    """Return the number of slots of a hash table: a power of two, at least twice the entries."""
    return int(2 ** (2 * entries + 1).bit_length())


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
