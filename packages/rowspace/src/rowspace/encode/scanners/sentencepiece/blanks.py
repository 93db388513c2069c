"""Which steps of a tokenizer.json turn blanks into `▁`: alone, or after steps that treat characters one by one."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

__all__ = ["MARK", "BlankRule", "WhiteSpaceRule", "recognize_blanks", "recognize_white_space", "steps_of"]

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


MANY = 2**40  # more blanks than a text has
_METASPACE = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": True}
_SPLIT = {"type": "WhitespaceSplit"}

Counts = tuple[int, int, int]
_NONE: Counts = (0, 0, 0)


class WhiteSpaceRule(NamedTuple):
    """What a tokenizer does before its model sees words, each of which begins with `▁`.

    Attributes:
        characters: The steps that treat characters one by one.
        splits: Whether text is split at all white space first.
        runs: What replaces several blanks, "" if nothing.
        strip_left: Whether white space is removed from the start of a text.
        strip_right: Whether it is removed from the end.
    """

    characters: tuple[Mapping[str, Any], ...]
    splits: bool
    runs: str = ""
    strip_left: bool = False
    strip_right: bool = False

    @property
    def strips(self) -> bool:
        """Whether white space is removed from an end of a text."""
        return self.strip_left or self.strip_right

    @property
    def alone(self) -> tuple[Counts, Counts, Counts, Counts]:
        """How many pieces of `▁` alone k blanks give: between words, before them, behind them, and without words.

        Each is (first, more, most) of min(first + more · (k - 1), most).
        """
        inner = leading = trailing = only = _NONE
        if not self.splits and not self.runs:
            inner = leading = 0, 1, MANY
            trailing = only = 1, 1, MANY
        elif not self.splits:
            trailing = only = 1, 0, 1
        elif self.runs == MARK:  # several blanks are no white space any more
            trailing = only = 0, 1, 1
        if self.strip_left:
            leading = _NONE
        if self.strip_right:
            trailing = _NONE
        return inner, leading, trailing, _NONE if self.strips else only


def recognize_white_space(
    normalizer: Mapping[str, Any] | None, pre_tokenizer: Mapping[str, Any] | None
) -> WhiteSpaceRule | None:
    """Return what the two steps do, or None if they do anything else.

    Args:
        normalizer: The step of the tokenizer.json, as the library writes it.
        pre_tokenizer: The other step.

    >>> recognize_white_space(None, {"type": "WhitespaceSplit"}) is None  # no word begins with ▁
    True
    """
    cutting = [*steps_of(pre_tokenizer)]
    if cutting not in ([_METASPACE], [_SPLIT, _METASPACE]):
        return None
    rule: WhiteSpaceRule | None = WhiteSpaceRule((), splits=cutting[0] == _SPLIT)
    for step in steps_of(normalizer):
        rule = rule and _with_step(rule, step)
    return rule


def _with_step(rule: WhiteSpaceRule, step: Mapping[str, Any]) -> WhiteSpaceRule | None:
    """Return a rule with a further step, or None if the steps do something else together."""
    is_first = not (rule.characters or rule.runs or rule.strips)
    match step:
        case {"type": "Precompiled"} if is_first:
            return rule._replace(characters=(step,))
        case {"type": "NFC" | "NFKC" | "Lowercase"} if not (rule.runs or rule.strips):
            return rule._replace(characters=(*rule.characters, step))
        case {"type": "Strip", "strip_left": bool(left), "strip_right": bool(right)} if rule.runs != MARK:
            return rule._replace(strip_left=rule.strip_left or left, strip_right=rule.strip_right or right)
        case {"type": "Replace", "pattern": pattern, "content": " " | "\u2581" as content} if not rule.runs:
            if pattern == {"Regex": " {2,}"}:
                return rule._replace(runs=content)
            if pattern == {"Regex": r"\s+"} and content == " ":
                return rule._replace(runs=content, characters=(*rule.characters, step))
    return None
