"""Matrix factorization of implicit feedback by alternating least squares (Hu, Koren & Volinsky 2008).

With w the weight of user u and item i (0 without an event), the rows x of users and y of items minimize

    sum over all u, i of c (p - x·y)² + regularization * (sum of |x|² + sum of |y|²)

where p is 1 if w > 0, else 0, and c = 1 + confidence * w. With the items fixed, each user's row is the solution of a
linear system, and the other way round. A few steps of conjugate gradients from the row of the epoch before solve it
almost (Takács, Pilászy & Tikk 2011). Each row is computed alone and sums over rows are made in fixed blocks, so the
result does not depend on the number of threads.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import map_ranges
from rowspace.errors import FitDiverged
from rowspace.learn.items.interactions import ByRow, Interactions
from rowspace.learn.items.kernels import add_gram, observed_loss, solve_rows
from rowspace.learn.items.options import ItemOptions

__all__ = ["factorize", "fold_in", "gram_of"]

Rows = NDArray[np.float32]
STEPS = 3  # of conjugate gradients: a test compares the loss with that of exact solutions
STEPS_OF_NEW_USER = 32  # which starts from zero
BLOCK = 1_024  # rows; blocks do not depend on the number of threads


def factorize(
    interactions: Interactions, options: ItemOptions, on_epoch: Callable[[int, float], None], *, steps: int = STEPS
) -> tuple[Rows, Rows, list[float]]:
    """Learn rows of users and items.

    Args:
        interactions: U users and I items.
        options: dim, passes, confidence, regularization, threads and seed are read.
        on_epoch: Called after each epoch with its number, from 1, and the loss.
        steps: Steps of conjugate gradients for each row, which starts from that of the epoch before.

    Returns:
        The rows of users (U, dim) and of items (I, dim), float32, and the loss after each epoch, divided by U * I.

    Raises:
        FitDiverged: A loss is not finite.
    """
    generator = np.random.default_rng(options.seed)
    by_user, by_item = (_scaled(each, options.confidence) for each in (interactions.by_user, interactions.by_item))
    users, items = (
        generator.normal(0, 0.1 / np.sqrt(options.dim), (size, options.dim)).astype(np.float32)
        for size in (len(interactions.users), len(interactions.items))
    )
    losses, gram_of_users = list[float](), gram_of(users, threads=options.threads)
    for epoch in range(1, options.passes + 1):
        _solve(by_item, users, items, gram_of_users, options, steps)
        gram_of_items = gram_of(items, threads=options.threads)
        _solve(
            by_user, items, users, gram_of_items, options, steps
        )  # last, so that a known user's row is that of its items
        gram_of_users = gram_of(users, threads=options.threads)
        squares = options.regularization * float(np.trace(gram_of_users) + np.trace(gram_of_items))
        loss = _observed_loss(by_user, users, items, options) + float((gram_of_users * gram_of_items).sum()) + squares
        losses.append(loss / (len(users) * len(items)))
        if not np.isfinite(loss):  # also if a row is not
            raise FitDiverged(f"the loss of epoch {epoch} is {loss}; give smaller weights or a smaller confidence")
        on_epoch(epoch, losses[-1])
    return users, items, losses


def gram_of(rows: Rows, *, threads: int | None = None) -> NDArray[np.float64]:
    """Return the sum of y yᵀ over rows (n, d): (d, d), the same with any number of threads."""

    def block(begin: int, end: int) -> NDArray[np.float64]:
        gram = np.zeros((rows.shape[1], rows.shape[1]))
        add_gram(rows, begin, end, gram)
        return gram

    upper = np.triu(
        sum(map_ranges(block, _blocks(len(rows)), threads=threads), np.zeros((rows.shape[1], rows.shape[1])))
    )
    total: NDArray[np.float64] = upper + np.triu(upper, 1).T
    return total


def fold_in(items: Rows, gram: NDArray[np.float64], entries: ByRow, options: ItemOptions) -> Rows:
    """Return the rows (n, d) of new users by their items, with the rows of items (I, d) fixed.

    Args:
        items: (I, d).
        gram: `gram_of(items)`.
        entries: The items of each user.
        options: Those with which the items were learned.
    """
    rows = np.zeros((len(entries.starts) - 1, items.shape[1]), np.float32)
    scratch = np.zeros((3, items.shape[1]), np.float32)
    solve_rows(
        0, len(rows), _scaled(entries, options.confidence), _regularized(gram, options), items, rows, STEPS_OF_NEW_USER,
        scratch,
    )  # fmt: skip
    return rows


def _scaled(by_row: ByRow, confidence: float) -> ByRow:
    """Return the entries with confidence * w as their weights."""
    return by_row._replace(weights=by_row.weights * np.float32(confidence))


def _regularized(gram: NDArray[np.float64], options: ItemOptions) -> Rows:
    return (gram + options.regularization * np.eye(len(gram))).astype(np.float32)


def _solve(by_row: ByRow, fixed: Rows, rows: Rows, gram: NDArray[np.float64], options: ItemOptions, steps: int) -> None:
    """Update `rows`, with the other ones fixed, whose sum of y yᵀ is `gram`."""
    regularized = _regularized(gram, options)

    def solve(begin: int, end: int) -> None:
        scratch = np.zeros((3, rows.shape[1]), np.float32)
        solve_rows(begin, end, by_row, regularized, fixed, rows, steps, scratch)

    map_ranges(solve, _blocks(len(rows)), threads=options.threads)


def _observed_loss(by_user: ByRow, users: Rows, items: Rows, options: ItemOptions) -> float:
    """Return what the loss has in addition to the squares of all scores, and to the regularization."""

    def block(begin: int, end: int) -> float:
        return observed_loss(begin, end, by_user, items, users)

    return sum(map_ranges(block, _blocks(len(users)), threads=options.threads))


def _blocks(size: int) -> list[tuple[int, int]]:
    """Return ranges of rows, the same with any number of threads."""
    return [(begin, min(begin + BLOCK, size)) for begin in range(0, size, BLOCK)]
