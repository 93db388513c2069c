"""Recognizes the steps of a tokenizer.json that cut text in a way that the kernels implement."""

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["CutRule", "recognize_pre_tokenizer"]

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
