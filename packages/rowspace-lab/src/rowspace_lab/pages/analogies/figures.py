"""The figures of the Analogies page."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.table import Table
from rowspace_lab.pages.analogies.replies import Answers, Examples, Place


def place_of(id: int, ranked: NDArray[np.int64], scores: NDArray[Any]) -> Place:
    """Return the rank and score of a row, or None for both if it is not ranked."""
    at = np.flatnonzero(ranked == id)
    return {"rank": int(at[0]) + 1, "score": float(scores[at[0]])} if len(at) else {"rank": None, "score": None}


def answers_figure(
    table: Table, *, question: tuple[str, str, str], expected: str, method: str, keep_inputs: bool, k: int
) -> Answers:
    """Find the k best answers; project them and the expected one onto the plane through a, b and c."""
    solve = space.cos_add if method == "3cosadd" else space.cos_mul
    ids = table.ids(question)
    (ranked,), (scores,) = solve(table.rows, ids[np.newaxis], len(table), row_norms=table.norms, keep_inputs=True)
    ranked, scores = ranked[ranked >= 0], scores[ranked >= 0]  # zero and non-finite rows are -1
    inputs = [place_of(id, ranked, scores) for id in ids]
    if not keep_inputs:
        allowed = ~np.isin(ranked, ids)
        ranked, scores = ranked[allowed], scores[allowed]
    place = place_of(table.id(expected), ranked, scores) if expected else None
    ranks = np.arange(1, min(k, len(ranked)) + 1)
    if place is not None and place["rank"] is not None:
        ranks = np.union1d(ranks, [place["rank"]])
    tokens = [table.vocabulary[id] for id in ranked[ranks - 1]]
    a, b, c = space.unit_rows(table[list(question)])
    target, found = b - a + c, space.unit_rows(table[tokens])
    plane = space.Plane.through(a, b, c)
    return {
        "question": question,
        "expected": expected,
        "keep_inputs": keep_inputs,
        "tokens": tokens,
        "of": len(ranked),
        "inputs": inputs,
        "place": place,
        "ranks": ranks,
        "scores": scores[ranks - 1],
        "cosines": space.cosine(found, [a, b, c, target]),
        "corners": plane.coordinates([a, b, c, target]),
        "points": plane.coordinates(found),
        "shares": plane.shares(found),
    }


def examples_figure(table: Table, *, examples: Sequence[Sequence[str]], method: str, deepest: int) -> Examples:
    """Rank each fourth word among the answers to the first three; the rank is 0 if it is not in the first `deepest`."""
    solve = space.cos_add if method == "3cosadd" else space.cos_mul
    ids = table.ids([word for words in examples for word in words]).reshape(-1, 4)
    found, _ = solve(table.rows, ids[:, :3], deepest, row_norms=table.norms)
    hits = found == ids[:, 3:]
    return {
        "examples": [list(words) for words in examples],
        "deepest": deepest,
        "ranks": np.where(hits.any(axis=1), hits.argmax(axis=1) + 1, 0),
    }
