"""`ByteBpeScanner`: byte-level BPE by kernels."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.byte_bpe.character_classes import character_classes
from rowspace.encode.scanners.byte_bpe.model import ModelArrays
from rowspace.encode.scanners.byte_bpe.patterns import CutRule
from rowspace.encode.scanners.scanner import Scanner
from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["ByteBpeScanner"]

PADDING = 16  # bytes after the texts, which kernels may read
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
        """Return the ids of texts first … last - 1, and which it leaves to the library."""
        from rowspace.encode.scanners.byte_bpe.kernels.scan import Output, Texts, scan

        guard, merges, scratch = self._tables
        texts = Texts(*self._with_padding(buffer, first, last))
        longest = int((texts.indptr[1:] - texts.indptr[:-1]).max()) if first < last else 0
        output = Output(
            ids=np.empty(int(texts.indptr[-1]) + SPARE, np.int32),
            indptr=np.empty(last - first + 1, np.int64),
            left=np.empty(last - first, np.bool_),
            scratch=np.empty(scratch * longest, np.int64),
        )
        known = self._take()
        scan(texts, (character_classes(), self.rule.digits), guard, merges, known, output)
        self._idle.append(known)
        return FlatIds(output.ids[: output.indptr[-1]].copy(), output.indptr), output.left.nonzero()[0]

    def _with_padding(self, buffer: TextBuffer, first: int, last: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
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
        """Return the pieces met before, which no other thread has."""
        try:
            return self._idle.pop()
        except IndexError:
            from rowspace.encode.scanners.byte_bpe.tables import nothing_known

            return nothing_known()

    @cached_property
    def _tables(self) -> tuple[Any, Any, int]:
        """The arrays of the guard and of the model, and the scratch for each byte of a text."""
        from rowspace.encode.scanners.byte_bpe.kernels.heap import HEAP_SPACE
        from rowspace.encode.scanners.byte_bpe.tables import guard_of, merges_of

        return guard_of(self.added, nfc=self.nfc), merges_of(self.model), HEAP_SPACE

    def __getstate__(self) -> dict[str, Any]:
        return {**{name: value for name, value in self.__dict__.items() if name != "_tables"}, "_idle": []}
