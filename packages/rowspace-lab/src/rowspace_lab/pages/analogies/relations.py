"""One relation over many pairs: the offsets b - a together, the cosines between them, and the angle to another one."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.analogies.replies import Relation, Relations, RelationsReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.default_words import default_words, is_code
from rowspace_lab.shared.figure import shown
from rowspace_lab.shared.word_pairs import CODE_RELATIONS, ENGLISH_RELATIONS, Pair, pairs_in, pairs_of

__all__ = ["ROUTES"]

MAX_PAIRS = 24


def relations(lab: Lab, query: Query) -> RelationsReply:
    """Return the offsets of `pairs`, "man woman, king queen", and those of `other`, with cosines and angles."""
    offered = lab.cached("analogies/relations", lambda: _offered(lab.table))
    usual = [*(each["pairs"] for each in offered), "", ""]
    texts = [query.text(name, usual[at], max_length=4000) for at, name in enumerate(("pairs", "other"))]
    entered = [pairs_of(text) for text in texts]
    for name, pairs in zip(("pairs", "other"), entered, strict=True):
        if len(pairs) > MAX_PAIRS:
            raise UsageError(f"{name} must have at most {MAX_PAIRS} pairs, not {len(pairs):,}")
    finite = np.isfinite(lab.table.norms)
    found = [pairs_in(lab.table, pairs, finite) for pairs in entered]
    if not found[0]:
        raise UsageError(
            f"none of the pairs {texts[0][:60]!r} has both words in the table; give pairs such as 'a b, c d'"
        )
    figure = partial(relations_figure, pairs=found[0], other=found[1])
    return {
        **figure(lab.table),
        "offered": offered,
        "given": [", ".join(" ".join(pair) for pair in pairs) for pairs in entered],
        "missing": sum(map(len, entered)) - sum(map(len, found)),
        "code": shown(lab, figure),
    }


def relations_figure(table: Table, *, pairs: Sequence[Pair], other: Sequence[Pair]) -> Relations:
    """Compute the offsets of both relations, their cosines, their common plane, and the angle between the means.

    The control pairs the first words with the second words of other pairs. The angle uses only those pairs of the first
    relation that share no word with the second, since a shared word alone bends the angle.
    """
    first, second = offsets_of(table, pairs), offsets_of(table, other)
    both = np.concatenate([first, second])
    mismatched = [(a, b) for (a, _), (_, b) in zip(pairs, [*pairs[1:], *pairs[:1]], strict=True)]
    taken = {word for pair in other for word in pair}
    apart = [at for at, pair in enumerate(pairs) if not taken & set(pair)]
    cosine = angle_between(first[apart], second)
    _, sizes, axes = np.linalg.svd(both, full_matrices=False)
    share = np.pad(sizes**2 / max(float(sizes @ sizes), np.finfo(float).tiny), (0, 2))[:2]
    return {
        "pairs": [(a, b) for a, b in pairs],
        "other": [(a, b) for a, b in other],
        "matrix": space.cosine(both, both),
        "mean": mean_between(first),
        "mean_other": mean_between(second),
        "control": mean_between(offsets_of(table, mismatched)),
        "points": np.pad(both @ axes[:2].T, ((0, 0), (0, 2)))[:, :2],
        "share": share,
        "compared": [len(apart), len(other)],
        "cosine": cosine,
        "degrees": None if cosine is None else float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))),
    }


def offsets_of(table: Table, pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """Return b - a for each pair, (n, d)."""
    rows = np.array([[table[a], table[b]] for a, b in pairs], np.float64).reshape(len(pairs), 2, table.dim)
    return rows[:, 1] - rows[:, 0]


def mean_between(offsets: NDArray[np.float64]) -> float | None:
    """Compute the mean cosine between different offsets; None for fewer than two."""
    upper = np.triu_indices(len(offsets), 1)
    return float(space.cosine(offsets, offsets)[upper].mean()) if len(offsets) > 1 else None


def angle_between(first: NDArray[np.float64], second: NDArray[np.float64]) -> float | None:
    """Compute the cosine of the mean offsets of two relations; None if one has no pair."""
    return float(space.cosine(first.mean(0), second.mean(0))) if len(first) and len(second) else None


def _offered(table: Table) -> list[Relation]:
    """Return the known relations with at least two pairs in the table; else pairs of its first words."""
    known: list[dict[str, Any]] = [ENGLISH_RELATIONS, CODE_RELATIONS]
    named = {name: pairs for group in (reversed(known) if is_code(table) else known) for name, pairs in group.items()}
    found = {name: pairs_in(table, pairs_of(pairs)) for name, pairs in named.items()}
    offered = {name: pairs for name, pairs in found.items() if len(pairs) > 1}
    if not offered:
        words = default_words(table, 6)
        offered = {"the first words": list(pairwise([*words, words[0]]))[::2]}
    texts = {name: [" ".join(map(table.shown, pair)) for pair in pairs] for name, pairs in offered.items()}
    return [{"name": name, "pairs": ", ".join(pairs)} for name, pairs in texts.items()]


ROUTES: Mapping[str, Handler] = {"analogies/relations": relations}
