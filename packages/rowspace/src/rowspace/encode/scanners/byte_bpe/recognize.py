"""A tokenizer.json → the scanner of byte-level BPE, if it is of a kind that the scanner reproduces exactly."""

from collections.abc import Mapping
from typing import Any

from tokenizers import normalizers

from rowspace.encode.scanners.added import AddedTokens, added_tokens
from rowspace.encode.scanners.byte_bpe.model import recognize_model
from rowspace.encode.scanners.byte_bpe.patterns import CutRule, recognize_pre_tokenizer
from rowspace.encode.scanners.byte_bpe.scanner import ByteBpeScanner
from rowspace.encode.scanners.scanner import adds_nothing

__all__ = ["recognize_byte_bpe"]


def recognize_byte_bpe(document: Mapping[str, Any]) -> ByteBpeScanner | None:
    """Return the scanner of a byte-level BPE with the pattern of GPT-2, Llama 3 or Qwen 2, or None.

    Args:
        document: The content of the tokenizer.json, as the library writes it.
    """
    if document["model"]["type"] != "BPE" or not adds_nothing(document["post_processor"]):
        return None
    rule = recognize_pre_tokenizer(document["pre_tokenizer"])
    normalizer = document["normalizer"]
    if rule is None or normalizer not in (None, {"type": "NFC"}):
        return None
    model = recognize_model(document["model"])
    if model is None:
        return None
    added = _added(document, rule)
    if added is None:
        return None
    return ByteBpeScanner(rule, model, added=added, nfc=normalizer is not None)


def _added(document: Mapping[str, Any], rule: CutRule) -> AddedTokens | None:
    """Return the added tokens; with a blank before each part of a text, texts with them are left to the library."""
    added = added_tokens(document["added_tokens"], _contents, is_normalized=document["normalizer"] is not None)
    if added is None or not rule.prefix_space:
        return added
    return AddedTokens((), tuple(sorted({*added.left, *(content for content, _ in added.found)})))


def _contents(content: str) -> list[str]:
    """Return what an added token that the library normalizes may look like in a text."""
    return [content, normalizers.NFC().normalize_str(content)]
