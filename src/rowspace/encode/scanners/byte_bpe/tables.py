"""The arrays that the kernels read: added tokens and unsafe characters, merges, tokens, and pieces met before."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.byte_bpe.character_classes import changed_by_nfc
from rowspace.encode.scanners.byte_bpe.kernels.guard import Guard
from rowspace.encode.scanners.byte_bpe.kernels.merge import Merges, enter_merges, enter_tokens
from rowspace.encode.scanners.byte_bpe.kernels.scan import Known
from rowspace.encode.scanners.byte_bpe.model import ModelArrays
from rowspace.encode.scanners.cache import WordCache

__all__ = ["guard_of", "merges_of", "nothing_known"]

MEMORY_SETS = 2**16  # of two pieces each, 4 MB for each thread


def guard_of(added: Sequence[str], *, nfc: bool) -> Guard:
    """Return what a scanned text must not hold: these added tokens, and with NFC the characters that it may change."""
    encoded = [token.encode() for token in added if token]
    tokens, starts = _join(encoded)
    first, pairs = np.zeros(256, np.bool_), np.zeros((256, 256), np.bool_)
    for token in encoded:
        first[token[0]] = True
        pairs[token[0], slice(None) if len(token) == 1 else token[1]] = True
    unsafe = changed_by_nfc() if nfc else _read_only(np.empty(0, np.bool_))
    return Guard(np.flatnonzero(first).astype(np.uint8), first, pairs.ravel(), tokens, starts, unsafe)


def merges_of(model: ModelArrays) -> Merges:
    """Return the hash tables of merges and, where whole pieces are looked up first, of tokens."""
    pairs = np.full((_slots(len(model.merges)), 2), -1, np.int64)
    enter_merges(pairs, model.merges)
    arena, starts = _join(model.tokens if model.whole_first else [])
    slots = np.zeros(_slots(len(starts)) if model.whole_first else 0, np.int64)
    if model.whole_first:
        enter_tokens(slots, starts, arena)
    return Merges(model.byte_ids, pairs, slots, starts, arena)


def nothing_known() -> Known:
    """Return an empty memory, each set of which is one line of the processor's cache, and an empty cache."""
    numbers = np.zeros(8 * MEMORY_SETS + 8, np.uint64)
    first = -(numbers.ctypes.data // 8) % 8
    return Known(numbers[first : first + 8 * MEMORY_SETS].reshape(MEMORY_SETS, 8), WordCache.empty())


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
