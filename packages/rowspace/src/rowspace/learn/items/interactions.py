"""`Interactions`: which user has which items, how often; and the split into learned and held-out ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace._base.plural import plural
from rowspace._base.validate import index_of
from rowspace.errors import CorpusError, UnknownTokenError, UsageError

__all__ = ["ByRow", "Interactions", "hold_out"]


class ByRow(NamedTuple):
    """A sparse matrix, row by row: entries `starts[i]:starts[i + 1]` are those of row i.

    Attributes:
        starts: (rows + 1,) int64.
        ids: (n,) int32, the column of each entry; ascending within a row, each once.
        weights: (n,) float32, above 0.
    """

    starts: NDArray[np.int64]
    ids: NDArray[np.int32]
    weights: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Interactions:
    """Users, each with the items that belong to them; a basket is a user.

    Attributes:
        users: U names, each with at least one item.
        items: I names by falling number of users.
        by_user: (U, I): the weight of an item is its number of events or the sum of their weights.

    >>> from rowspace.learn import read_interactions
    >>> some = read_interactions({"anna": ["milk", "bread"], "ben": ["milk"]})
    >>> some
    Interactions(2 users × 2 items, 3 pairs)
    >>> some.items, some.of("anna"), some.counts
    (['milk', 'bread'], ['milk', 'bread'], array([2, 1]))
    """

    users: list[str]
    items: list[str]
    by_user: ByRow

    def __repr__(self) -> str:
        users, items = plural(len(self.users), "user"), plural(len(self.items), "item")
        return f"Interactions({users} × {items}, {plural(self.size, 'pair')})"

    @property
    def size(self) -> int:
        """The number of different pairs of a user and an item."""
        return len(self.by_user.ids)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many users have each item: (I,) int64."""
        return np.bincount(self.by_user.ids, minlength=len(self.items)).astype(np.int64)

    @cached_property
    def by_item(self) -> ByRow:
        """The transpose, (I, U)."""
        starts, ids, weights = self.by_user
        order = np.argsort(ids, kind="stable")
        users = np.repeat(np.arange(len(self.users), dtype=np.int32), np.diff(starts))
        return ByRow(np.concatenate([[0], np.cumsum(self.counts)]), users[order], weights[order])

    @cached_property
    def _user_ids(self) -> dict[str, int]:
        return index_of(self.users)

    def user_id(self, user: str) -> int:
        """Return the number of a user, from 0.

        Raises:
            UnknownTokenError: There is no such user; the message suggests similar names.
        """
        if isinstance(user, str) and user in self._user_ids:
            return self._user_ids[user]
        near = space.nearest_spellings(user, self.users) if isinstance(user, str) else []
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "for a new user, give a list of items"
        raise UnknownTokenError(f"user {user!r} is not among the {plural(len(self.users), 'user')}; {hint}")

    def ids_of(self, user: int) -> NDArray[np.int32]:
        """Return the ids of a user's items, ascending."""
        return self.by_user.ids[self.by_user.starts[user] : self.by_user.starts[user + 1]]

    def of(self, user: str) -> list[str]:
        """Return the items of a user, the most frequent first.

        Raises:
            UnknownTokenError: There is no such user.
        """
        return [self.items[item] for item in self.ids_of(self.user_id(user))]


def from_pairs(
    names: tuple[Sequence[str], Sequence[str]],
    users: NDArray[np.int32],
    items: NDArray[np.int32],
    weights: NDArray[np.float32],
    *,
    min_count: int = 1,
) -> Interactions:
    """Return the interactions of n events; weights of the same user and item are added.

    Args:
        names: Those of the users and of the items.
        users: (n,) ids of users.
        items: (n,) ids of items.
        weights: (n,).
        min_count: Items of fewer users are left out, and users without items.

    Raises:
        CorpusError: Nothing is left.
    """
    keys, places = np.unique(users.astype(np.int64) * max(1, len(names[1])) + items, return_inverse=True)
    sums = np.bincount(places, weights, len(keys))
    rows, columns = np.divmod(keys, max(1, len(names[1])))
    counts = np.bincount(columns, minlength=len(names[1]))
    chosen = [item for item in np.flatnonzero(counts >= min_count).tolist() if counts[item]]
    if not chosen:
        raise CorpusError(
            f"no item is in min_count={min_count} baskets: the most frequent one is in {counts.max(initial=0)}; lower "
            "min_count or give more baskets"
        )
    chosen.sort(key=lambda item: (-counts[item], names[1][item]))
    final = np.full(len(names[1]), -1, np.int64)
    final[chosen] = np.arange(len(chosen))
    kept = final[columns] >= 0
    return _packed(names[0], [names[1][item] for item in chosen], rows[kept], final[columns[kept]], sums[kept])


def _packed(
    users: Sequence[str], items: list[str], rows: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[Any]
) -> Interactions:
    """Return interactions with the users that have items, in their order."""
    used, rows = np.unique(rows, return_inverse=True)
    order = np.lexsort((columns, rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(used)))])
    by_user = ByRow(starts.astype(np.int64), columns[order].astype(np.int32), weights[order].astype(np.float32))
    return Interactions([users[user] for user in used.tolist()], items, by_user)


def hold_out(interactions: Interactions, share: float = 0.2, *, seed: int = 1) -> tuple[Interactions, Interactions]:
    """Split the items of each user at random: some to learn from, the others to measure recommendations.

    Of a user's n items, `share * n` are held out, rounded, but at least one and not all; of a user with one item, none.

    Args:
        interactions: All of them.
        share: From 0 to 1.
        seed: Of the choice.

    Returns:
        The interactions to learn from, and those that were held out, without users that have none.

    Raises:
        UsageError: A share outside 0 to 1, or no user has two items.

    >>> from rowspace.learn import read_interactions
    >>> learned, held_out = hold_out(read_interactions([["a", "b", "c", "d"], ["a", "c"], ["b"]]), share=0.25)
    >>> learned, held_out
    (Interactions(3 users × 4 items, 5 pairs), Interactions(2 users × 2 items, 2 pairs))
    """
    if not 0 < share < 1:
        raise UsageError(f"share must be a number between 0 and 1, not {share!r}")
    starts, ids, weights = interactions.by_user
    sizes = np.diff(starts)
    if sizes.max(initial=0) < 2:
        raise UsageError("no user has two items, so none can be held out; give users with more items")
    users = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((np.random.default_rng(seed).random(len(ids)), users))
    rank = np.arange(len(ids)) - starts[users]  # of the entries in this order, within their user
    held = np.clip(np.round(share * sizes), 1, np.maximum(sizes - 1, 0))
    is_held = np.zeros(len(ids), bool)
    is_held[order] = rank < held[users]
    names = (interactions.users, interactions.items)
    learned, tested = (
        from_pairs(names, users[chosen].astype(np.int32), ids[chosen], weights[chosen])
        for chosen in (~is_held, is_held)
    )
    return learned, tested
