"""The arrays that the kernels read: unsafe characters, merges and tokens."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.bpe.tables import pairs_of, slots_for
from rowspace.encode.scanners.byte_bpe.character_classes import changed_by_nfc, character_classes
from rowspace.encode.scanners.byte_bpe.kernels.pieces import Merges, enter_tokens
from rowspace.encode.scanners.byte_bpe.kernels.scan import Rule
from rowspace.encode.scanners.byte_bpe.model import ModelArrays
from rowspace.encode.scanners.byte_bpe.patterns import CutRule

__all__ = ["merges_of", "rule_of"]


def rule_of(rule: CutRule, *, nfc: bool) -> Rule:
    """Return how the kernels cut a text, and with NFC which characters they leave to the library."""
    unsafe = changed_by_nfc() if nfc else _read_only(np.empty(0, np.bool_))
    return Rule(character_classes(), rule.digits, unsafe)


def merges_of(model: ModelArrays) -> Merges:
    """Return the hash tables of merges and, where whole pieces are looked up first, of tokens."""
    pairs = pairs_of(model.merges)
    arena, starts = _join(model.tokens if model.whole_first else [])
    slots = np.zeros(slots_for(len(starts)) if model.whole_first else 0, np.int64)
    if model.whole_first:
        enter_tokens(slots, starts, arena)
    return Merges(model.byte_ids, pairs, slots, starts, arena)


def _join(tokens: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return byte strings next to each other, and where each begins."""
    starts = np.fromiter(accumulate(map(len, tokens), initial=0), np.int64, len(tokens) + 1)
    return np.frombuffer(bytearray().join(tokens), np.uint8), starts


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
