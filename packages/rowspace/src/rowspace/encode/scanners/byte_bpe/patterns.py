"""The steps of a tokenizer.json → how kernels cut text, and its model → the arrays with which they merge."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.bpe.model import is_plain_bpe, merge_ids
from rowspace.files.tokenizer_json import BYTE_CHARACTERS, bytes_from_alphabet

__all__ = ["CutRule", "ModelArrays", "recognize_model", "recognize_pre_tokenizer"]

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3_PATTERN = _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + _REST
QWEN2_PATTERN = _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + _REST
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


class CutRule(NamedTuple):
    """How text is cut.

    Attributes:
        name: The model that the pattern comes from.
        digits: Maximum number of digits in a piece; 0 for GPT-2's pattern.
        prefix_space: Whether a blank is put before a text that does not begin with one.
    """

    name: str
    digits: int
    prefix_space: bool = False


_RULES = {
    GPT2_PATTERN: CutRule("gpt2", 0),
    LLAMA3_PATTERN: CutRule("llama3", 3),
    QWEN2_PATTERN: CutRule("qwen2", 1),
}


def recognize_pre_tokenizer(step: Mapping[str, Any] | None) -> CutRule | None:
    """Return how a `pre_tokenizer` cuts text, or None if no kernel reproduces it exactly.

    Args:
        step: The content of the tokenizer.json, as the library writes it.

    >>> recognize_pre_tokenizer({"type": "ByteLevel", "add_prefix_space": True, "use_regex": True})
    CutRule(name='gpt2', digits=0, prefix_space=True)
    """
    steps = _steps(step)
    match steps:
        case [{"type": "ByteLevel", "use_regex": True, "add_prefix_space": bool(prefix)}]:
            return _RULES[GPT2_PATTERN]._replace(prefix_space=prefix)
        case [
            {"type": "Split", "pattern": {"Regex": str(pattern)}, "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "use_regex": False, "add_prefix_space": False},
        ]:
            return _RULES.get(pattern)
    return None


def _steps(step: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Return the steps one after another, those of a sequence instead of the sequence."""
    if step is None:
        return []
    if step["type"] != "Sequence":
        return [step]
    return [inner for each in step["pretokenizers"] for inner in _steps(each)]


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
