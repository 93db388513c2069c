"""A tokenizer.json → the scanner of byte-level BPE, if it is of a kind that the scanner reproduces exactly."""

from collections.abc import Iterator, Mapping
from typing import Any

from tokenizers import normalizers

from rowspace.encode.scanners.byte_bpe.model import recognize_model
from rowspace.encode.scanners.byte_bpe.patterns import recognize_pre_tokenizer
from rowspace.encode.scanners.byte_bpe.scanner import ByteBpeScanner

__all__ = ["recognize_byte_bpe"]


def recognize_byte_bpe(document: Mapping[str, Any]) -> ByteBpeScanner | None:
    """Return the scanner of a byte-level BPE with the pattern of GPT-2, Llama 3 or Qwen 2, or None.

    Args:
        document: The content of the tokenizer.json, as the library writes it.
    """
    if document["model"]["type"] != "BPE" or not _adds_nothing(document["post_processor"]):
        return None
    rule = recognize_pre_tokenizer(document["pre_tokenizer"])
    normalizer = document["normalizer"]
    if rule is None or normalizer not in (None, {"type": "NFC"}):
        return None
    model = recognize_model(document["model"])
    if model is None:
        return None
    added = sorted({content for token in document["added_tokens"] for content in _contents(token["content"])})
    return ByteBpeScanner(rule, model, added=added, nfc=normalizer is not None)


def _contents(content: str) -> Iterator[str]:
    """Yield what an added token may look like in a text: the library normalizes some of them."""
    yield content
    yield normalizers.NFC().normalize_str(content)


def _adds_nothing(step: Mapping[str, Any] | None) -> bool:
    """Return whether a post-processor leaves the ids of one text as they are, apart from special tokens."""
    match step:
        case None | {"type": "ByteLevel" | "RobertaProcessing" | "BertProcessing"}:
            return True
        case {"type": "TemplateProcessing", "single": list(single)}:
            return [piece["Sequence"]["id"] for piece in single if "Sequence" in piece] == ["A"]
        case {"type": "Sequence", "processors": list(processors)}:
            return all(map(_adds_nothing, processors))
    return False
