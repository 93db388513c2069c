"""Events (user, item, weight, time), one after another, → ids and numbers; sessions; times.

An `EventList` grows in arrays of numbers; only the distinct names stay in memory.
"""

import math
from array import array
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from numbers import Integral, Real
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.learn.items.interactions import Interactions, from_pairs
from rowspace.text.corpus.examples_file import is_unicode

__all__ = ["EventList", "Refuse", "name_of", "refuse_lonely", "seconds_of", "sessions_of", "weight_of"]

MIN_WEIGHT, MAX_WEIGHT = 1e-37, 1e30  # weights and their sums are float32

Refuse = Callable[[str], NoReturn]
"""Raises an error whose message begins with where the value is."""


class EventList:
    """Events as numbers."""

    def __init__(self) -> None:
        self.users: dict[str, int] = {}
        self.items: dict[str, int] = {}
        self._user_ids, self._item_ids = array("i"), array("i")
        self._weights, self._seconds = array("f"), array("d")

    def add(self, user: str, item: str, weight: float = 1.0, seconds: float | None = None) -> None:
        """Add an event; either all have a time or none."""
        self._user_ids.append(self.users.setdefault(user, len(self.users)))
        self._item_ids.append(self.items.setdefault(item, len(self.items)))
        self._weights.append(weight)
        if seconds is not None:
            self._seconds.append(seconds)

    def interactions(self, *, gap: float | None, min_count: int) -> Interactions:
        """Return which user, or which session, has which items."""
        users, items = (np.frombuffer(ids, np.int32) for ids in (self._user_ids, self._item_ids))
        weights, names = np.frombuffer(self._weights, np.float32), list(self.users)
        if gap is not None:
            order, users, names = sessions_of(users, np.frombuffer(self._seconds), names, gap)
            items, weights = items[order], weights[order]
        return from_pairs((names, list(self.items)), users, items, weights, min_count=min_count)


def sessions_of(
    users: NDArray[np.int32], seconds: NDArray[np.float64], names: list[str], gap: float
) -> tuple[NDArray[np.int64], NDArray[np.int32], list[str]]:
    """Divide the events of each user where more than `gap` seconds pass without one.

    Args:
        users: (n,) the user of each event.
        seconds: (n,) its time.
        names: Those of the users.
        gap: In seconds.

    Returns:
        The order of the events by user and time, (n,); the session of each in this order, (n,); and the names of the
        sessions: "anna/1", "anna/2", ...

    >>> sessions_of(np.zeros(3, np.int32), np.array([500.0, 0.0, 100.0]), ["anna"], 100)
    (array([1, 2, 0]), array([0, 0, 1], dtype=int32), ['anna/1', 'anna/2'])
    """
    order = np.lexsort((seconds, users))
    users, seconds = users[order], seconds[order]
    is_other = np.concatenate([[False], users[1:] != users[:-1]])[: len(users)]
    is_new = is_other | np.concatenate([[False], np.diff(seconds) > gap])[: len(users)]
    sessions = np.cumsum(is_new, dtype=np.int32)
    firsts = np.flatnonzero(np.concatenate([[True], is_new[1:]])[: len(users)])
    of_user = users[firsts]
    begins = np.concatenate([[True], of_user[1:] != of_user[:-1]])[: len(firsts)]
    numbers = np.arange(len(firsts)) - np.maximum.accumulate(np.where(begins, np.arange(len(firsts)), 0)) + 1
    named = [f"{names[user]}/{number}" for user, number in zip(of_user.tolist(), numbers.tolist(), strict=True)]
    return order, sessions, named


def name_of(value: object, kind: str, refuse: Refuse) -> str:
    """Return the name of a user or an item: text, or a whole number as text."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    if not isinstance(value, str) or not value:
        what = "no value" if value is None or value == "" else repr(value)[:40]
        refuse(f"{what} is not the name of {kind}, which is text or a whole number; change it or remove it")
    if "\0" in value or not is_unicode(value):
        refuse(f"the name of {kind} has NUL or half a surrogate pair; repair it or remove it")
    return value


def weight_of(value: object, refuse: Refuse) -> float:
    """Return a weight: a number from `MIN_WEIGHT` to `MAX_WEIGHT`."""
    number = _number(value)
    if number is None or not MIN_WEIGHT <= number <= MAX_WEIGHT:
        refuse(
            f"the weight is {value!r:.40}, not a number from {MIN_WEIGHT:g} to {MAX_WEIGHT:g}; "
            "correct it or remove the event"
        )
    return number


def seconds_of(value: object, refuse: Refuse) -> float:
    """Return a time in seconds: of a number, a date, or a text of one of these; without a time zone it is UTC.

    >>> def refuse(reason):
    ...     raise ValueError(reason)
    >>> seconds_of("1970-01-02", refuse), seconds_of("90.5", refuse)
    (86400.0, 90.5)
    """
    number = _number(value)
    if number is None:
        number = _timestamp(value)
    if number is None or not math.isfinite(number):
        refuse(f"the time is {value!r:.40}, neither a number of seconds nor a date in ISO 8601; correct it")
    return number


def _timestamp(value: object) -> float | None:
    """Return the seconds of a date or of its text; None if it is neither."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else value
        if isinstance(found, date) and not isinstance(found, datetime):
            found = datetime.combine(found, time())
        if not isinstance(found, datetime):
            return None
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _number(value: object) -> float | None:
    """Return a number, also of a text; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, Real | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def refuse_lonely(interactions: Interactions, separator: str) -> None:
    """Raise `UsageError` unless a basket has two different items."""
    if np.diff(interactions.by_user.starts).max(initial=0) < 2:
        raise UsageError(
            f"none of the {plural(len(interactions.users), 'basket')} has two different items, so no item can be "
            f"learned from another; check the separator, which is {separator!r}, or the column of users"
        )
