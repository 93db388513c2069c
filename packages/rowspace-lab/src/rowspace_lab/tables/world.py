"""Tables learned by `fit` from sentences that the page shows and edits; the first ones are those of `small_world`."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace_lab.lab import Lab, Refit
from rowspace_lab.tables.choice import OwnText, TableChoice, short_hash
from rowspace_lab.tables.small_world import small_world_sentences

__all__ = ["DIM", "DIMS", "OPTIONS", "SMALL_WORLD", "world_choice"]

DIMS = (8, 16, 32)
DIM = 16
OPTIONS: Mapping[str, Any] = {"epochs": 100, "window": 4, "sample": 0, "min_count": 1, "workers": 1}
"""The options of `fit` other than `dim`; with one worker, the same sentences give the same rows."""
MAX_SENTENCES = 2000
MAX_WORDS = 40
"""Words of a sentence."""
TITLE = "Small world"


def world_choice(text: str, dim: int = DIM) -> TableChoice:
    """Return the choice of the table that is learned from `text`, a sentence per line; empty lines are skipped.

    Its id depends on the text and the dimension, and is that of the small world if both are unchanged.

    Raises:
        UsageError: The text has too few or too many sentences, or a sentence is too long.
    """
    sentences = [line.strip() for line in text.splitlines() if line.strip()]
    _check(sentences)
    unchanged = dim == DIM and sentences == small_world_sentences()
    id = "small-world" if unchanged else f"world-{short_hash(dim, *sentences)}"
    sentence = f"{plural(len(sentences), 'sentence')} that the page shows and edits, learned with {dim} numbers a word."
    return TableChoice(
        id, TITLE, sentence, "own", lambda: _learned(id, sentences, dim), OwnText("\n".join(sentences), dim)
    )


def _check(sentences: Sequence[str]) -> None:
    if not 1 <= len(sentences) <= MAX_SENTENCES:
        raise UsageError(f"the text must have 1 to {MAX_SENTENCES:,} sentences, one per line, not {len(sentences):,}")
    for number, sentence in enumerate(sentences, 1):
        if (words := len(sentence.split())) > MAX_WORDS:
            raise UsageError(f"sentence {number} has {words} words; write a sentence per line, of up to {MAX_WORDS}")


def _learned(id: str, sentences: Sequence[str], dim: int) -> Lab:
    """Learn the table; errors of `fit` are raised, such as that of a text with a single word."""
    from rowspace.learn.fit import fit  # imports Numba, which other tables do not need

    table = fit(iter(sentences), dim=dim, **OPTIONS)
    refit = Refit(lambda seed: fit(iter(sentences), dim=dim, **OPTIONS, seed=seed), _call(dim, seed="seed"))
    edited = () if sentences == small_world_sentences() else tuple(sentences)
    return Lab(table, TITLE, id, _code(sentences, dim), sentences=edited, refit=refit)


def _code(sentences: Sequence[str], dim: int) -> str:
    """Return the code that learns the table from the small world's sentences, with the changes to them."""
    return "\n".join(
        [
            "import rowspace as rs",
            "from rowspace_lab.tables.small_world import small_world_sentences",
            "",
            "sentences = small_world_sentences()",
            *_changes(small_world_sentences(), sentences),
            f"table = {_call(dim)}",
        ]
    )


def _call(dim: int, **more: str) -> str:
    options = {name: repr(value) for name, value in OPTIONS.items()} | more
    return f"rs.fit(iter(sentences), dim={dim}" + "".join(f", {name}={text}" for name, text in options.items()) + ")"


def _changes(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return the lines that change one list of sentences to another, the last change first, so that indices hold.

    >>> _changes(["a", "b", "c"], ["a", "x", "c", "d"])
    ["sentences[3:3] = ['d']", "sentences[1:2] = ['x']"]
    """
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [
        f"sentences[{begin}:{end}] = {list(after[first:last])!r}"
        for kind, begin, end, first, last in reversed(changes)
        if kind != "equal"
    ]


SMALL_WORLD = world_choice("\n".join(small_world_sentences()))
"""The unchanged sentences, which are learned when the table is first requested."""
