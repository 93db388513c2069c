"""The claim about rows that no text uses: what they cost, in a search and in a softmax."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lessons.computed.claims.verdict import Verdict

__all__ = ["unused_rows"]

Array = NDArray[Any]

MAX_WORDS = 5000  # words, so that a large table can be searched in a request


def unused_rows_figure(
    table: Table, *, queries: int, vocabulary: int, dim: int, steps: int, lr: float, seed: int
) -> Mapping[str, Any]:
    """Add as many untrained rows as there are words, and count what they take from neighbors and from a softmax."""
    ids = np.flatnonzero(np.isfinite(table.norms) & (table.norms > 0))[:MAX_WORDS]
    if len(ids) < 20:
        raise UsageError("at least 20 words are needed to see which neighbors unused rows displace")
    drawn = np.random.default_rng(seed)
    unused = drawn.uniform(-0.5, 0.5, (len(ids), table.dim)) / table.dim  # as word2vec starts its rows
    rows = np.concatenate([np.asarray(table.rows[ids], np.float32), unused.astype(np.float32)])
    sample = np.sort(drawn.permutation(len(ids))[:queries])
    found, _ = space.nearest(rows[sample], rows, 10, exclude=sample[:, np.newaxis])
    taken = float((found >= len(ids)).mean())
    start, end = softmax_shares(vocabulary, dim, steps=steps, lr=lr, seed=seed)
    return {
        "taken": taken,
        "start": start,
        "end": end,
        "words": vocabulary,
        "steps": steps,
        "searched": len(ids),
        "mebibytes": len(table) * table.dim * 4 / 2**20,
        "verdict": unused_rows_verdict(taken=taken, start=start),
        "bars": {"neighbors that are unused rows": taken, "probability at step 0": start, "after training": end},
    }


def softmax_shares(vocabulary: int, dim: int, *, steps: int, lr: float, seed: int) -> tuple[float, float]:
    """Train a softmax head in which half of the rows are never the answer; return their probability before and after.

    Each word has a hidden state, and the words that follow it are drawn once; all gradients are exact.
    """
    drawn = np.random.default_rng(seed)
    follows = drawn.dirichlet(np.full(vocabulary, 0.2), size=vocabulary)  # (V, V): the next word of each word
    target = np.pad(follows, ((0, 0), (0, vocabulary)))  # the unused rows are never next
    hidden = drawn.normal(size=(vocabulary, dim))
    head = drawn.normal(scale=0.02, size=(2 * vocabulary, dim))
    shares = []
    for step in range(steps + 1):
        exponents = np.exp(hidden @ head.T)
        probabilities = exponents / exponents.sum(1, keepdims=True)
        if step in (0, steps):
            shares.append(float(probabilities[:, vocabulary:].sum(1).mean()))
        gradient = (probabilities - target) / vocabulary  # of the mean loss, with respect to the logits
        head, hidden = head - lr * gradient.T @ hidden, hidden - lr * gradient @ head
    return shares[0], shares[1]


def unused_rows_verdict(*, taken: float, start: float) -> Verdict:
    """False if unused rows take 1% of the neighbors; it depends if they only take probability from a new softmax."""
    if taken >= 0.01:
        return "false"
    return "it depends" if start >= 0.01 else "true"


unused_rows = partial(unused_rows_figure, queries=300, vocabulary=60, dim=16, steps=200, lr=5.0, seed=0)
