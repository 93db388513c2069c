"""Which post-processors of a tokenizer.json matter to scanners, which add no special tokens."""

from collections.abc import Mapping
from typing import Any

__all__ = ["adds_nothing"]


def adds_nothing(step: Mapping[str, Any] | None) -> bool:
    """Return whether a post-processor leaves the ids of one text as they are, apart from special tokens.

    Args:
        step: The `post_processor`, as the library writes it.

    >>> adds_nothing({"type": "BertProcessing"}), adds_nothing({"type": "Unheard-of"})
    (True, False)
    """
    match step:
        case None | {"type": "ByteLevel" | "RobertaProcessing" | "BertProcessing"}:
            return True
        case {"type": "TemplateProcessing", "single": list(single)}:
            return [piece["Sequence"]["id"] for piece in single if "Sequence" in piece] == ["A"]
        case {"type": "Sequence", "processors": list(processors)}:
            return all(map(adds_nothing, processors))
    return False
