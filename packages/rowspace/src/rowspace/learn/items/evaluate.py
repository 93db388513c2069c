"""`evaluate_items`: recall and NDCG of recommendations on held-out interactions, beside those of popularity."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace._base.plural import plural
from rowspace._base.validate import check_whole_number
from rowspace.errors import UsageError
from rowspace.learn.items.interactions import Interactions
from rowspace.learn.items.model import Items

__all__ = ["ItemScores", "evaluate_items", "ranking_scores"]

USERS_AT_ONCE = 1_024


class ItemScores(NamedTuple):
    """How well held-out items are recommended: means over users.

    Attributes:
        recall: The share of a user's held-out items (of k of them, if there are more) among the first k.
        ndcg: Normalized discounted cumulative gain of the first k: a hit at rank r counts 1 / log2(r + 1), divided by
            the sum for all hits first (Järvelin & Kekäläinen 2002).
        popular_recall, popular_ndcg: The same if the items with the most users are recommended to everyone.
        users: The number of users.
        k: How many items are recommended.
    """

    recall: float
    ndcg: float
    popular_recall: float
    popular_ndcg: float
    users: int
    k: int


def evaluate_items(model: Items, held_out: Interactions | Mapping[str, Iterable[str]], *, k: int = 20) -> ItemScores:
    """Return recall and NDCG of the first k recommendations; items that a user was learned with are left out.

    Args:
        model: Of `rowspace.fit_items`, learned without the held-out interactions.
        held_out: Of `hold_out`; or the held-out items of each user. Items that the model does not have are missed.
        k: How many items are recommended.

    Raises:
        UsageError: There is no user, a user has no list of held-out items, or `k` is below 1.
        UnknownTokenError: The model does not have a user.

    >>> from rowspace import fit_items
    >>> model = fit_items([["tea", "milk"], ["tea", "milk"], ["ale", "nuts"], ["ale", "nuts"], ["tea"]], dim=2)
    >>> evaluate_items(model, {"4": ["milk"]}, k=1)
    ItemScores(recall=1.0, ndcg=1.0, popular_recall=0.0, popular_ndcg=0.0, users=1, k=1)
    """
    check_whole_number("k", k, 1, 1_000_000)
    wanted = _wanted(model, held_out)
    rows, popular = np.asarray(model.users.rows), model.interactions.counts.astype(np.float64)[:, np.newaxis]
    found = [list[float]() for _ in range(4)]
    for start in range(0, len(wanted), USERS_AT_ONCE):
        users, items = zip(*wanted[start : start + USERS_AT_ONCE], strict=True)
        seen = _padded([model.interactions.ids_of(user) for user in users])
        ids, _ = space.nearest(rows[list(users)], model.targets, k, metric="dot", exclude=seen)
        best, _ = space.nearest(np.ones((len(users), 1)), popular, k, metric="dot", exclude=seen)
        for scores, each in zip((found[:2], found[2:]), (ids, best), strict=True):
            for ranked, target in zip(each, items, strict=True):
                for values, value in zip(scores, ranking_scores(ranked, target, k), strict=True):
                    values.append(value)
    recall, ndcg, popular_recall, popular_ndcg = (float(np.mean(values)) for values in found)
    return ItemScores(recall, ndcg, popular_recall, popular_ndcg, len(wanted), k)


def ranking_scores(ranked: NDArray[np.int64], target: NDArray[np.int64], k: int) -> tuple[float, float]:
    """Return recall and NDCG of one user.

    Args:
        ranked: The ids of the items that are recommended, best first; -1 for none.
        target: The ids of the held-out items, -1 for those without an id.
        k: How many are recommended.

    >>> ranking_scores(np.array([7, 2, 5]), np.array([2, 9]), 3)
    (0.5, 0.38685280723454163)
    """
    hits = np.isin(ranked[:k], target[target >= 0]) & (ranked[:k] >= 0)
    gains = 1 / np.log2(np.arange(2, k + 2))
    most = min(k, len(target))
    return float(hits.sum() / most), float(gains[: len(hits)][hits].sum() / gains[:most].sum())


def _wanted(model: Items, held_out: Interactions | Mapping[str, Iterable[str]]) -> list[tuple[int, NDArray[np.int64]]]:
    """Return each user's id and the ids of its held-out items."""
    if isinstance(held_out, Interactions):
        known = model.items.find(held_out.items)
        by_user = {user: known[held_out.ids_of(number)] for number, user in enumerate(held_out.users)}
    elif isinstance(held_out, Mapping):
        by_user = {user: model.items.find(_listed(user, items)) for user, items in held_out.items()}
    else:
        raise UsageError(f"held_out must be interactions or a dict from users to items, not {type(held_out).__name__}")
    for user, items in by_user.items():
        if not len(items):
            raise UsageError(f"user {user!r} has no held-out item, so nothing can be measured; leave the user out")
    if not by_user:
        raise UsageError(f"there is no user with held-out items; the model has {plural(len(model.users), 'user')}")
    return [(model.interactions.user_id(user), items) for user, items in by_user.items()]


def _listed(user: str, items: object) -> list[str]:
    """Return a user's items, each once."""
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise UsageError(f"the held-out items of user {user!r} must be a list, got {items!r:.40}")
    return list(dict.fromkeys(items))


def _padded(rows: list[NDArray[np.int32]]) -> NDArray[np.int64]:
    """Return ids as one array, with -1 after the end of the shorter ones."""
    padded = np.full((len(rows), max(map(len, rows))), -1, np.int64)
    for row, ids in zip(padded, rows, strict=True):
        row[: len(ids)] = ids
    return padded
