"""Which tokenizer.json is BERT's."""

from collections.abc import Mapping
from typing import Any

from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from rowspace.encode.scanners.added import added_tokens
from rowspace.encode.scanners.scanner import adds_nothing
from rowspace.encode.scanners.wordpiece.characters import BertNormalization
from rowspace.encode.scanners.wordpiece.scanner import BertScanner, WordPiece
from rowspace.encode.scanners.wordpiece.suspects import word_records

__all__ = ["recognize_bert"]

MAX_ID = 2**31 - 2
MAX_VOCABULARY = 2**22  # in bytes of UTF-8, and so in nodes of the trie


def recognize_bert(document: Mapping[str, Any]) -> BertScanner | None:
    """Return the scanner for a tokenizer.json: BERT's normalizer with any options, its splitter, and WordPiece.

    Args:
        document: The content of the file, as the library writes it.

    Returns:
        The scanner, or None for any other tokenizer.
    """
    normalizer, splitter = _only(document.get("normalizer")), _only(document.get("pre_tokenizer"))
    model = document["model"]
    if normalizer.get("type") != "BertNormalizer" or splitter != {"type": "BertPreTokenizer"}:
        return None
    if model["type"] != "WordPiece" or document.get("truncation") or document.get("padding"):
        return None
    if not adds_nothing(document["post_processor"]):
        return None
    vocabulary: dict[str, int] = model["vocab"]
    if max(vocabulary.values(), default=0) > MAX_ID or sum(map(len, vocabulary)) > MAX_VOCABULARY // 4:
        return None
    options = _options(normalizer)
    tokens = document["added_tokens"]
    added, suspects = added_tokens(tokens), word_records(tokens, lambda text: _split(text, options))
    if added is None or suspects is None:
        return None
    piece = WordPiece(
        vocabulary, model["unk_token"], model["continuing_subword_prefix"], model["max_input_chars_per_word"]
    )
    return BertScanner(piece, options, added, suspects)


def _only(step: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return a step of a tokenizer, or the single one of a sequence."""
    if step is not None and step["type"] == "Sequence":
        steps = step.get("normalizers", step.get("pretokenizers", ()))
        return steps[0] if len(steps) == 1 else {}
    return step or {}


def _options(normalizer: Mapping[str, Any]) -> BertNormalization:
    strip = normalizer["strip_accents"]
    return BertNormalization(
        clean_text=normalizer["clean_text"],
        handle_chinese_chars=normalizer["handle_chinese_chars"],
        strip_accents=normalizer["lowercase"] if strip is None else strip,
        lowercase=normalizer["lowercase"],
    )


def _split(text: str, options: BertNormalization) -> list[str]:
    """Return the words of a text, by the library."""
    normalized = BertNormalizer(**options._asdict()).normalize_str(text)
    return [word for word, _ in BertPreTokenizer().pre_tokenize_str(normalized)]
