"""Two words: their agreement in each dimension, a stretched row, and the table turned by a random rotation."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.errors import UsageError
from rowspace.space.similarity import METRICS
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.words.figures import word_row
from rowspace_lab.pages.words.replies import PairReply, PairScores, Turned, TurnedReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.default_words import default_words
from rowspace_lab.shared.directions import check_direction, compared_norms
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

BLOCK = 8192  # rows that are turned at once


def pair(lab: Lab, query: Query) -> PairReply:
    """Return the products a_i * b_i of the rows of `a` and `b`, and the scores with b times several factors."""
    usual = default_words(lab.table, 2)
    words = (query.text("a", usual[0]), query.text("b", usual[-1]))
    for word in words:
        check_direction(lab.table, word, word_row(lab.table, word), lacks="angle to another one")
    figure = partial(pair_figure, words=words)
    return {**figure(lab.table), "words": words, "code": shown(lab, figure)}


def turn(lab: Lab, query: Query) -> TurnedReply:
    """Return the row and the `k` neighbors of `word` before and after a random rotation of all rows by `seed`."""
    (default,) = default_words(lab.table, 1)
    word, metric = query.text("word", default), query.choice("metric", METRICS)
    figure = partial(
        turned_figure,
        word=word,
        k=query.integer("k", 10, low=1, high=100),
        metric=metric,
        seed=query.integer("seed", 1, low=1, high=1_000_000),
    )
    if not np.isfinite(word_row(lab.table, word)).all():
        raise UsageError(f"the row of {word[:40]!r} contains NaN or infinity, so it has no neighbors; use another word")
    if metric != "euclidean":
        check_direction(lab.table, word, word_row(lab.table, word))
    return {**figure(lab.table), "word": word, "code": shown(lab, figure)}


def pair_figure(table: Table, *, words: Sequence[str]) -> PairScores:
    """Split the dot product of two rows by dimension, and multiply the second row by factors from -2 to 4."""
    a, b = (np.array(word_row(table, word), np.float64) for word in words)
    factors = np.arange(-20, 41) / 10
    stretched = factors[:, np.newaxis] * b
    cosine = space.cosine(a, b)
    return {
        "rows": np.stack([a, b]),
        "products": a * b,
        "norms": space.row_norms(np.stack([a, b])),
        "cosine": float(cosine),
        "degrees": float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))),
        "factors": factors,
        "dots": space.dot(a, stretched),
        "cosines": space.cosine(a, stretched),
        "distances": space.euclidean(a, stretched),
    }


def turned_figure(table: Table, *, word: str, k: int, metric: space.Metric, seed: int) -> Turned:
    """Turn all rows, and count the numbers of a word's row and the neighbors of the word that this changes."""
    return compare_turned(table, random_rotation(table.dim, seed), word=word, k=k, metric=metric)


def compare_turned(table: Table, rotation: NDArray[np.float64], *, word: str, k: int, metric: space.Metric) -> Turned:
    """Multiply all rows by a matrix, and compare a word's row and its neighbors before and after."""
    row = np.array(word_row(table, word), np.float64)
    turned = turn_rows(table.rows, rotation)
    own = np.array([[table.id(word) if word in table else -1]])
    norms = compared_norms(table, metric)  # which a rotation keeps
    (before,), (scores,) = space.nearest(row[np.newaxis], table.rows, k, metric=metric, exclude=own, row_norms=norms)
    (after,), (new_scores,) = space.nearest(
        (row @ rotation)[np.newaxis], turned, k, metric=metric, exclude=own, row_norms=norms
    )
    found = before >= 0
    return {
        "row": row,
        "turned": row @ rotation,
        "bars": len(row),
        "bars_changed": int((~np.isclose(row, row @ rotation, rtol=1e-6, atol=1e-9)).sum()),
        "before": [table.vocabulary[id] for id in before[found]],
        "after": [table.vocabulary[id] for id in after[after >= 0]],
        "neighbors_changed": len(set(before.tolist()) - set(after.tolist())),
        "scores": scores[found],
        "largest_change": float(np.abs(scores[found] - new_scores[found]).max(initial=0)),
    }


def random_rotation(dim: int, seed: int) -> NDArray[np.float64]:
    """Draw a rotation matrix, (d, d): orthogonal with determinant 1, from the QR decomposition of a normal matrix."""
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))
    q *= np.sign(np.diag(r))
    q[:, 0] *= np.linalg.slogdet(q).sign
    return q


def turn_rows(rows: NDArray[np.floating[Any]], rotation: NDArray[np.float64]) -> NDArray[np.float32]:
    """Multiply each row by the rotation, in blocks, since rows may be a large memory map."""
    turned = np.empty(rows.shape, np.float32)
    for start in range(0, len(rows), BLOCK):
        with np.errstate(invalid="ignore", over="ignore"):  # non-finite rows: BLAS reports them on some processors only
            turned[start : start + BLOCK] = rows[start : start + BLOCK].astype(np.float64) @ rotation
    return turned


ROUTES: Mapping[str, Handler] = {"words/pair": pair, "words/turn": turn}
