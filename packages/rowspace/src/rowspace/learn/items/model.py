"""`Items`: what `fit_items` returns: rows of items and of users, and what they recommend."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace._base.plural import plural
from rowspace._base.validate import check_whole_number
from rowspace.errors import UnknownTokenError, UsageError
from rowspace.learn.items.als import fold_in, gram_of
from rowspace.learn.items.interactions import ByRow, Interactions
from rowspace.learn.items.options import ItemOptions
from rowspace.learn.items.saved_items import SavedItems, check_target, read_items, write_items
from rowspace.table import Table

__all__ = ["Items"]

MAX_K = 1_000_000


@dataclass(frozen=True, eq=False)
class Items:
    """Items, users, and which items each user has.

    Attributes:
        items: The table of items, (I, dim): near rows are items that go with the same others. Its `counts` are the
            numbers of users of each item, its `settings` have the options, the losses and `kind="item"`.
        users: The table of users, (U, d), with `kind="user"`; its `counts` are their numbers of items.
        targets: (I, d) float32: the dot product of a user's row with these rows ranks the items. For als and two-tower
            they are the rows of `items`; for item2vec, whose users are the mean rows of their items and a 1, they are
            the output rows and, in the last column, the logarithm of the frequency.
        interactions: What was learned from.

    >>> from rowspace import fit_items
    >>> model = fit_items([["tea", "milk"], ["tea", "milk"], ["ale", "nuts"], ["ale", "nuts"], ["tea"]], dim=2)
    >>> model.recommend("4", k=1)[0][0], model.recommend(["nuts"], k=1)[0][0]
    ('milk', 'ale')
    """

    items: Table
    users: Table
    targets: NDArray[np.float32]
    interactions: Interactions
    options: ItemOptions

    def __repr__(self) -> str:
        users, items = plural(len(self.users), "user"), plural(len(self.items), "item")
        return f"Items({self.options.model}: {items} × {self.items.dim}, {users})"

    def recommend(self, user: str | int | Sequence[str | int], k: int = 10) -> list[tuple[str, float]]:
        """Return the k best items that a user does not have yet, best first, with their scores.

        Args:
            user: The name of a user that was learned from, or the items of a new one. Users of baskets without names
                are "0", "1", ...; a name that is a number may be given as an integer.
            k: The number of items, fewer if the user has almost all.

        Raises:
            UnknownTokenError: There is no such user or item; the message suggests similar names.
            UsageError: `k` is below 1, or the model has no rows for new users.
        """
        check_whole_number("k", k, 1, MAX_K)
        if isinstance(user, str | int | Integral):
            known = self.interactions.user_id(str(user))
            seen, row = self.interactions.ids_of(known), self.users.rows[known]
        else:
            seen = self._basket(user)
            row = self.rows_of(_entries([seen]))[0]
        ids, scores = space.nearest(
            np.asarray(row)[np.newaxis], self.targets, k, metric="dot", exclude=seen[np.newaxis].astype(np.int64)
        )
        pairs = zip(ids[0].tolist(), scores[0].tolist(), strict=True)
        return [(self.items.vocabulary[item], score) for item, score in pairs if item >= 0]

    def rows_of(self, baskets: ByRow) -> NDArray[np.float32]:
        """Return the rows (n, d) of users by their items, as for those that were learned from.

        Args:
            baskets: (n, I): the items of each.

        Raises:
            UsageError: The model is two-tower, which learns the rows of users themselves, or weights are so large that
                a row is not finite.
        """
        if self.options.model == "two-tower":
            raise UsageError("a two-tower model has no rows for new users; give the name of a user, or use als")
        if self.options.model == "als":
            rows = fold_in(np.asarray(self.items.rows), self._gram, baskets, self.options)
            if not np.isfinite(rows).all():
                raise UsageError("the weights of these items are so large that a row is not finite; give smaller ones")
            return rows
        return mean_rows(self.items.rows, baskets)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a folder, atomically, that is a table of items: `rowspace.load` and all commands open it.

        The table of users is in its folder `users`, and the rest next to it.

        Raises:
            UsageError: `path` is something else than a new folder or saved items.
            RowspaceError: The system refuses.
        """
        write_items(SavedItems(self.items, self.users, self.targets, self.interactions, self.options), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Items":
        """Open what `save` wrote.

        Raises:
            UsageError: There is nothing of this kind at `path`.
            FileFormatError: It is damaged.
        """
        return cls(*read_items(Path(path)))

    @staticmethod
    def check_target(path: str | os.PathLike[str]) -> None:
        """Raise what `save` to `path` would raise about the path itself: call it before long work."""
        check_target(path)

    @cached_property
    def _gram(self) -> NDArray[np.float64]:
        return gram_of(np.asarray(self.items.rows, np.float32))

    def _basket(self, names: Sequence[str | int]) -> NDArray[np.int32]:
        """Return the ids of a new user's items, ascending, each once."""
        if not len(names):
            raise UsageError("the list of items is empty; give at least one item, or the name of a user")
        try:
            return np.unique(self.items.ids(list(map(str, names)))).astype(np.int32)
        except UnknownTokenError as error:
            raise UnknownTokenError(
                str(error).replace("token", "item", 1).replace("vocabulary", "table of items")
            ) from None


def mean_rows(rows: NDArray[Any], baskets: ByRow) -> NDArray[np.float32]:
    """Return the mean row of the items of each basket and, in a last column, 1: (n, dim + 1)."""
    sizes = np.diff(baskets.starts)
    means = np.ones((len(sizes), rows.shape[1] + 1), np.float32)
    for basket, (first, last) in enumerate(zip(baskets.starts[:-1], baskets.starts[1:], strict=True)):
        means[basket, :-1] = rows[baskets.ids[first:last]].mean(axis=0)
    return means


def _entries(baskets: Sequence[NDArray[np.int32]]) -> ByRow:
    """Return baskets as a sparse matrix with weights of 1."""
    starts = np.concatenate([[0], np.cumsum([len(basket) for basket in baskets])])
    ids = np.concatenate(baskets).astype(np.int32)
    return ByRow(starts.astype(np.int64), ids, np.ones(len(ids), np.float32))
