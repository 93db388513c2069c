"""The runs that the Training page can train, by name: the first one, and others that differ from it in one thing.

A name is one of `RUNS`, or one of `KNOBS` with a number of the user, such as "dim-24". Such a run reads Python's help;
one with `SENTENCES` before its name, such as "sentences-dim-24", reads the sentences of Small world, or of a table that
was learned from others.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rowspace.errors import UsageError

__all__ = ["BASE", "KNOBS", "REPLACED", "RUNS", "SENTENCES", "changed_options", "reads_sentences", "run_name"]

SENTENCES = "sentences-"

RUNS: Mapping[str, Mapping[str, Any]] = {
    "base": {},
    "untied": {"tied": False},
    "positions-none": {"positions": "none"},
    "positions-learned": {"positions": "learned"},
    "positions-alibi": {"positions": "alibi"},
    "scaled": {"scaled": True},
    "std-root": {"init_std": 32**-0.5},
    "norm-max": {"constraint": "max"},
    "norm-unit": {"constraint": "unit"},
    "word": {},
}
"""What differs from the first run; in "word", the text."""
REPLACED = {True: ("dog", "king"), False: ("function", "class")}
"""A word of the text, and the one in its place: in sentences, and in Python's help."""
WATCHED = {
    True: ["cat", "dog", "king", "man", "kitten", "queen", "woman", "house", "city", "sleeps", "the"],
    False: ["can", "may", "will", "module", "function", "method", "class", "list", "string", "statement", "the", "and"],
}
"""Words whose gradients are summed, if they are tokens: of sentences, and of Python's help."""
BASE: Mapping[str, Any] = {
    "dim": 32,
    "layers": 2,  # with one, a model without positions would be blind to order
    "heads": 2,
    "batch_size": 16,
    "context": 48,
    "lr": 1e-2,
    "init_std": 0.02,
    "seed": 1,
    "sample": 640,
    "workers": 1,
    "device": "cpu",
    "save_seconds": 1e6,
}
SHORT_TEXTS: Mapping[str, Any] = {"context": 16, "lr": 3e-3}
"""What differs for sentences: a context is two or three of them."""


class Knob(NamedTuple):
    """An option that can have any number in a range; widths are multiples of `multiple`."""

    option: str
    low: float
    high: float
    multiple: int | None = None


KNOBS = {
    "dim": Knob("dim", 4, 128, multiple=4),  # two heads, each with pairs of dimensions to rotate
    "std": Knob("init_std", 0.0001, 3),
    "decay": Knob("weight_decay", 0, 10),
}


def run_name(name: str) -> str:
    """Return the name of a run as it is used for folders: "dim-024" is "dim-24".

    Raises:
        UsageError: There is no such run; the message says which there are.

    >>> run_name("decay-0.50"), run_name("sentences-base")
    ('decay-0.5', 'sentences-base')
    """
    if reads_sentences(name):
        return SENTENCES + run_name(name.removeprefix(SENTENCES))
    if name in RUNS:
        return name
    knob, number = _parts(name)
    value = float(number)
    low, high, multiple = KNOBS[knob][1:]
    if not low <= value <= high or (multiple is not None and value % multiple):
        of = "" if multiple is None else f"a multiple of {multiple} "
        raise UsageError(f"{knob} must be {of}from {low:g} to {high:g}, not {number}")
    return f"{knob}-{value:g}"


def reads_sentences(name: str) -> bool:
    """Return whether a run reads sentences, not Python's help."""
    return name.startswith(SENTENCES)


def changed_options(name: str) -> Mapping[str, Any]:
    """Return the options in which a run differs from `BASE`."""
    name = run_name(name)
    text, name = (SHORT_TEXTS, name.removeprefix(SENTENCES)) if reads_sentences(name) else ({}, name)
    if name in RUNS:
        return {**text, **RUNS[name]}
    knob, number = _parts(name)
    convert: Callable[[str], float] = int if KNOBS[knob].multiple is not None else float
    return {**text, KNOBS[knob].option: convert(number)}


def _parts(name: str) -> tuple[str, str]:
    """The knob of a name, and its number."""
    found = re.fullmatch(r"([a-z]+)-([0-9]{1,4}(?:\.[0-9]{1,4})?)", name)
    if found is None or found[1] not in KNOBS:
        others = ", ".join(f"{knob}-NUMBER" for knob in KNOBS)
        raise UsageError(f"run must be one of {', '.join(RUNS)}, {others}, not {name[:40]!r}")
    return found[1], found[2]
