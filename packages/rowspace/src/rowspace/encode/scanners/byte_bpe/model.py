"""The model of a tokenizer.json → the arrays with which kernels merge."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.bpe.model import is_plain_bpe, merge_ids
from rowspace.files.tokenizer_json import BYTE_CHARACTERS, bytes_from_alphabet

__all__ = ["ModelArrays", "recognize_model"]


class ModelArrays(NamedTuple):
    """A byte-level BPE model.

    Attributes:
        byte_ids: int32 (256,), the id of each byte.
        merges: int64 (n, 3), (left id, right id, id of both), in the order of their ranks.
        tokens: The bytes of the token of each id, empty for ids without one that text can have.
        whole_first: Whether a piece that is a token gets its id without merges.
    """

    byte_ids: NDArray[np.int32]
    merges: NDArray[np.int64]
    tokens: list[bytes]
    whole_first: bool


def recognize_model(model: Mapping[str, Any]) -> ModelArrays | None:
    """Return the arrays of a BPE model in which all bytes are tokens, so that none is unknown; else None.

    Args:
        model: The content of the tokenizer.json, as the library writes it.
    """
    if not is_plain_bpe(model) or model["byte_fallback"]:
        return None
    vocabulary: Mapping[str, int] = model["vocab"]
    if not all(character in vocabulary for character in BYTE_CHARACTERS):
        return None
    byte_ids = np.array([vocabulary[character] for character in BYTE_CHARACTERS], np.int32)
    tokens = [b""] * (max(vocabulary.values()) + 1)
    for token, number in vocabulary.items():
        tokens[number] = bytes_from_alphabet(token) or b""
    return ModelArrays(byte_ids, merge_ids(model["merges"], vocabulary), tokens, model["ignore_merges"])
