"""Scanners: kernels that give the ids of the `tokenizers` library for tokenizer.json files of known kinds.

A scanner leaves the texts for which it is not exact to the library. `SCANNERS` lists what recognizes each kind.
"""

from collections.abc import Callable, Mapping
from typing import Any

from rowspace.encode.scanners.byte_bpe import recognize_byte_bpe
from rowspace.encode.scanners.scanner import Scanner
from rowspace.encode.scanners.sentencepiece import recognize_sentencepiece_bpe, recognize_unigram
from rowspace.encode.scanners.wordpiece import recognize_bert
from rowspace.encode.scanners.words import recognize_words

__all__ = ["SCANNERS", "Recognizer", "Scanner"]

Recognizer = Callable[[Mapping[str, Any]], Scanner | None]
"""The content of a tokenizer.json, as the library writes it → the scanner for exactly this tokenizer, or None."""

SCANNERS: tuple[Recognizer, ...] = (
    recognize_bert,
    recognize_byte_bpe,
    recognize_sentencepiece_bpe,
    recognize_unigram,
    recognize_words,
)
