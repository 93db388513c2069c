"""Patterns of .gitignore → regular expressions, which take no more than a time quadratic in the length of a path.

Each star, and each `**`, takes the least that lets the text after it match, and never more. This finds a match if there
is one, and tries no combinations of stars, of which a pattern of twelve has trillions.
"""

import re
import string
from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn

__all__ = ["IgnoreFile", "Pattern", "parse_pattern"]

_CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, [*range(32), 127])),
    "digit": string.digits,
    "graph": "".join(map(chr, range(33, 127))),
    "lower": string.ascii_lowercase,
    "print": "".join(map(chr, range(32, 127))),
    "punct": string.punctuation,
    "space": " \t\n\v\f\r",
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}
_SPECIAL = frozenset(r"\.+*?()|[]{}^$#&-~")
_FOLDERS = "(?:[^/]*/)*?"
_GLUED = re.compile(r"([^*?\[\\]*[^*?\[\\/])\*{2,}(/.*)?", re.DOTALL)


class Pattern(NamedTuple):
    """A line of a .gitignore file.

    Attributes:
        expression: A regular expression of a whole path; its groups `(?>...)` may be `(?:...)` where no such exist.
        is_negated: Whether it includes what it matches.
        only_folders: Whether it matches folders only.
    """

    expression: str
    is_negated: bool
    only_folders: bool


def parse_pattern(line: str) -> Pattern | None:
    r"""Return the pattern of a line; None for a blank line, a comment, or one that matches nothing.

    Args:
        line: Such as `*.py`, `!docs/`, `/build` or `src/**/[a-z]*`.

    >>> parse_pattern("!docs/*.md/")
    Pattern(expression='docs/[^/]*\\.md', is_negated=True, only_folders=True)
    """
    text = _without_blanks(line)
    if text.startswith("#"):
        return None
    is_negated = text.startswith("!")
    text = text.removeprefix("!")
    only_folders = text.endswith("/")
    text = text.removesuffix("/")
    if not text:
        return None
    names = text.removeprefix("/").split("/") if "/" in text else ["**", text]
    glued = _GLUED.fullmatch(text.removeprefix("/")) if "/" in text else None
    try:
        expression = _path_expression(names) if glued is None else _glued_expression(*glued.groups())
    except ValueError:
        return None
    return Pattern(expression, is_negated, only_folders)


class IgnoreFile:
    """The patterns of a .gitignore file.

    Args:
        lines: Its lines. As git compares bytes, they and the paths are decoded as Latin-1.

    >>> ignored = IgnoreFile(["*.log", "!keep.log", "build/"])
    >>> [ignored.decision(path, is_folder=False) for path in ("a/b.log", "keep.log", "build")]
    [True, False, None]
    """

    def __init__(self, lines: Sequence[str]) -> None:
        found = [pattern for line in lines if (pattern := parse_pattern(line)) is not None]
        self._patterns = [(re.compile(each.expression, re.DOTALL), each) for each in reversed(found)]

    def decision(self, path: str, *, is_folder: bool) -> bool | None:
        """Return whether the last pattern that matches a path excludes it; None if none matches."""
        for expression, pattern in self._patterns:
            if (is_folder or not pattern.only_folders) and expression.fullmatch(path):
                return not pattern.is_negated
        return None


def _without_blanks(line: str) -> str:
    """Return a line without the blanks at its end, of which the first may be escaped."""
    text = line.rstrip(" ")
    backslashes = len(text) - len(text.rstrip("\\"))
    return text + " " if backslashes % 2 and len(line) > len(text) else text


def _path_expression(names: Sequence[str]) -> str:
    """Return the expression of the names of a path, some of which are `**`: any number of folders."""
    groups = [list[str]()]  # the names between two `**`
    for name in names:
        if len(name) > 1 and not name.strip("*"):
            groups.append([])
        else:
            groups[-1].append(_name_expression(name))
    if len(groups) == 1:
        return "/".join(groups[0])
    first, *others, last = groups
    middle = (f"(?>{_FOLDERS}{_joined(group)})" for group in others if group)
    return _joined(first) + "".join(middle) + (_FOLDERS + "/".join(last) if last else ".+")


def _glued_expression(start: str, rest: str | None) -> str:
    """Return the expression of `start**/rest`.

    Git compares what is before the first wildcard by itself, so that a `**` right behind it is one of whole names.
    """
    return "".join(map(_escaped, start)) + (_path_expression(["**", *rest.split("/")[1:]]) if rest else ".*")


def _joined(names: Sequence[str]) -> str:
    return "".join(f"{name}/" for name in names)


def _name_expression(name: str) -> str:
    """Return the expression of a name; raises `ValueError` for one that matches nothing."""
    pieces = [""]  # what is between two stars
    for piece in _pieces(name):
        if piece == "*":
            pieces.append("")
        else:
            pieces[-1] += piece
    if len(pieces) == 1:
        return pieces[0]
    first, *others, last = pieces
    return first + "".join(f"(?>[^/]*?{piece})" for piece in others if piece) + "[^/]*" + last


def _pieces(name: str) -> Iterator[str]:
    """Yield the expression of each character, or class of characters, of a name, and "*" for a star."""
    place = 0
    while place < len(name):
        character = name[place]
        place += 1
        if character == "[":
            expression, place = _bracket(name, place)
            yield expression
        elif character == "\\":
            yield _escaped(_at(name, place))
            place += 1
        elif character in "*?":
            yield "*" if character == "*" else "[^/]"
        else:
            yield _escaped(character)


def _bracket(name: str, place: int) -> tuple[str, int]:
    """Return the expression of what follows `[`, and where it ends, by the rules of git's wildmatch."""
    is_negated = _at(name, place) in "!^"
    place += is_negated
    ranges, before, is_first = list[tuple[str, str]](), "", True  # before: what a range may begin with
    while is_first or _at(name, place) != "]":
        is_first, character = False, _at(name, place)
        known = re.compile(r"\[:([^\]]*):\]").match(name, place)
        if known:
            ranges += [(each, each) for each in _CLASSES.get(known[1]) or _nothing()]
            before, place = "", known.end()
            continue
        is_range = character == "-" and before != "" and _at(name, place + 1) != "]"
        place += is_range
        place += _at(name, place) == "\\"
        character = _at(name, place)
        ranges.append((before if is_range else character, character))
        before, place = "" if is_range else character, place + 1
    members = "".join(_members(ranges))
    if not members and not is_negated:
        _nothing()
    return f"[^/{members}]" if is_negated else f"[{members}]", place + 1


def _members(ranges: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield ranges of characters as in a class, without the slash and without those that are reversed."""
    for low, high in ranges:
        for start, end in ((low, min(high, ".")), (max(low, "0"), high)):
            if start <= end:
                yield _escaped(start) if start == end else f"{_escaped(start)}-{_escaped(end)}"


def _at(name: str, place: int) -> str:
    """Return a character; raises `ValueError` at the end, since git takes what is not complete to match nothing."""
    return name[place] if place < len(name) else _nothing()


def _nothing() -> NoReturn:
    raise ValueError("the pattern matches nothing")


def _escaped(character: str) -> str:
    return f"\\{character}" if character in _SPECIAL else character
