"""Categories of users or items, as ids: each feature has its own, and 0 is "unknown"."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace.errors import FileFormatError, UsageError
from rowspace.text.corpus.records import read_records

__all__ = ["FeatureIds", "Features", "read_features"]

Features = Mapping[str, Sequence[str]] | str | os.PathLike[str]
"""The categories of each user or item, or the path of a file of records."""

MAX_RECORD = 1_000_000  # bytes


class FeatureIds(NamedTuple):
    """The categories of V users or items.

    Attributes:
        ids: (V, f) int64.
        sizes: The number of categories of each feature, with "unknown".
    """

    ids: NDArray[np.int64]
    sizes: tuple[int, ...]


def read_features(features: Features | None, names: Sequence[str], kind: str) -> FeatureIds:
    """Return the categories of users or items as ids; names without features have unknown ones.

    Args:
        features: By name, or in a file with the column `kind` and one for each feature; None for no features.
        names: V names in order.
        kind: "user" or "item".

    Raises:
        UsageError: Features are not lists of text of the same length, or belong to none of the names.
        FileFormatError: A file is damaged or has no column `kind`.

    >>> read_features({"milk": ["dairy"], "ale": ["drink"]}, ["ale", "milk", "nuts"], "item")
    FeatureIds(ids=array([[2],
           [1],
           [0]]), sizes=(3,))
    """
    if features is None:
        return FeatureIds(np.zeros((len(names), 0), np.int64), ())
    if isinstance(features, str | os.PathLike):
        features = _read(os.fspath(features), kind)
    if not isinstance(features, Mapping):
        raise UsageError(
            f"{kind}_features must be a dict from names to lists of categories, or a path, not {features!r:.60}"
        )
    first, width = next(iter(features), None), 0
    for name, categories in features.items():
        if isinstance(categories, str) or not isinstance(categories, Sequence):
            raise UsageError(f"{kind}_features of {name!r} must be a list of categories, not {categories!r:.60}")
        width = width if name != first else len(categories)
        if len(categories) != width:
            raise UsageError(
                f"{kind}_features of {name!r} has {plural(len(categories), 'category', 'categories')}, but that of "
                f"{first!r} has {width}; give each {kind} as many"
            )
    if not any(name in features for name in names):
        raise UsageError(
            f"{kind}_features has none of the {plural(len(names), kind)}, such as {names[0]!r}; check the names"
        )
    return _numbered(features, names, width)


def _numbered(features: Mapping[str, Sequence[str]], names: Sequence[str], width: int) -> FeatureIds:
    known: list[dict[str, int]] = [{} for _ in range(width)]
    for categories in features.values():
        for ids, category in zip(known, categories, strict=True):
            ids.setdefault(category, len(ids) + 1)
    numbered = np.zeros((len(names), width), np.int64)
    for row, name in zip(numbered, names, strict=True):
        if name in features:
            row[:] = [ids[category] for ids, category in zip(known, features[name], strict=True)]
    return FeatureIds(numbered, tuple(len(ids) + 1 for ids in known))


def _read(path: str, kind: str) -> dict[str, list[str]]:
    """Return the categories in a file of records by name."""
    records = dict[str, dict[str, Any]]()
    for line, values in read_records(path, limit=MAX_RECORD):
        if kind not in values:
            raise FileFormatError(
                f"{path}: line {line}: there is no column {kind!r}; name the column of the {kind}s so"
            )
        records[str(values[kind])] = values
    columns = dict.fromkeys(name for values in records.values() for name in values if name != kind)
    return {name: [_category(values.get(column)) for column in columns] for name, values in records.items()}


def _category(value: Any) -> str:
    return "" if value is None else str(value)
