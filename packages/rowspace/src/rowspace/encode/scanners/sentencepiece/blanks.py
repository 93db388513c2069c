"""Which steps of a tokenizer.json turn blanks into `▁` and do nothing else."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

__all__ = ["BlankRule", "recognize_blanks", "steps_of"]

MARK = "\u2581"
NEVER, PREPEND, ALWAYS, FIRST = range(4)  # as in kernels/merges.py
_REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}
_SCHEMES = {"never": NEVER, "always": ALWAYS, "first": FIRST}


class BlankRule(NamedTuple):
    """Where blanks are put, and whether text is cut before each.

    Attributes:
        prefix: When a blank is put before a text: 0 never, 1 always, 2 if it begins with something else, 3 the same but
            not after an added token.
        separate: Whether text is cut before each blank.
    """

    prefix: int
    separate: bool = False


def recognize_blanks(normalizer: Mapping[str, Any] | None, pre_tokenizer: Mapping[str, Any] | None) -> BlankRule | None:
    """Return what the two steps do with blanks, or None if they do anything else.

    Args:
        normalizer: The step of the tokenizer.json, as the library writes it.
        pre_tokenizer: The other step.

    >>> recognize_blanks({"type": "Replace", "pattern": {"String": " "}, "content": "▁"}, None)
    BlankRule(prefix=0, separate=False)
    """
    steps = [*steps_of(normalizer)]
    prepends = [step for step in steps if step["type"] == "Prepend"]
    others = [step for step in steps if step["type"] != "Prepend"]
    if len(prepends) > 1 or others not in ([], [_REPLACE]):
        return None
    if prepends and prepends[0]["prepend"] not in (MARK, " "):
        return None
    if prepends and prepends[0]["prepend"] == " " and steps[-1:] != [_REPLACE]:
        return None
    match pre_tokenizer:
        case None:
            cut = BlankRule(NEVER) if others else None
        case {"type": "Metaspace", "replacement": "▁", "prepend_scheme": str(scheme), "split": bool(split)}:
            cut = BlankRule(_SCHEMES[scheme], split)
        case {"type": "Split", "pattern": {"String": " "}} if others:  # no blank is left
            cut = BlankRule(NEVER)
        case _:
            cut = None
    if cut is None or not prepends:
        return cut
    return cut._replace(prefix=PREPEND)


def steps_of(step: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    """Yield steps one after another, those of a sequence instead of the sequence."""
    if step is None:
        return
    inner = step.get("normalizers", step.get("pretokenizers")) if step["type"] == "Sequence" else None
    if inner is None:
        yield step
        return
    for each in inner:
        yield from steps_of(each)
