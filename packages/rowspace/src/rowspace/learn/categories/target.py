"""A target as given → numbers with mean 0."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.learn.categories.effects import shape_targets

__all__ = ["TARGETS", "Target", "target_of"]

Doubles = NDArray[np.float64]

TARGETS = ("continuous", "binary", "multiclass")
MANY_CLASSES = 100  # as whole numbers, they need an explicit target_type


class Target(NamedTuple):
    """A target (n,) as numbers with mean 0.

    Attributes:
        kind: One of `TARGETS`.
        main: (n, 1), scaled to variance 1 for a continuous target; (n, classes) for three classes or more.
        shape: (n, b), see `shape_targets`; (n, 0) unless it is continuous.
        facts: What the settings of a table record of it.
    """

    kind: str
    main: Doubles
    shape: Doubles
    facts: dict[str, Any]


def target_of(labels: NDArray[Any], kind: str) -> Target:
    """Return the target of labels (n,); `kind` is one of `TARGETS`, or "auto".

    Raises:
        UsageError: Labels are not one-dimensional or not finite, have one value only, or do not fit the kind.

    >>> target_of(np.array(["no", "yes", "yes", "no"]), "auto").main.ravel().tolist()
    [-0.5, 0.5, 0.5, -0.5]
    """
    labels = _checked(labels)
    chosen = _found_kind(labels) if kind == "auto" else kind
    if chosen == "continuous":
        return _continuous(labels)
    classes, ids = np.unique(labels, return_inverse=True)
    if chosen == "binary" and len(classes) != 2:
        raise UsageError(f"target_type 'binary' needs two classes, but y has {len(classes)}; use 'multiclass'")
    shares = np.bincount(ids) / len(ids)
    if len(classes) == 2:
        main = (ids == 1).astype(np.float64)[:, np.newaxis] - shares[1]
    else:
        main = np.eye(len(classes))[ids] - shares
    facts = {"classes": classes.tolist(), "shares": shares.tolist()}
    return Target("binary" if len(classes) == 2 else "multiclass", main, np.zeros((len(ids), 0)), facts)


def _checked(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the labels (n,); raise `UsageError` for another shape, missing labels, or a single value."""
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1 or labels.dtype.kind == "c":
        raise UsageError(f"y must be one number or class for each example, got shape {labels.shape} of {labels.dtype}")
    if labels.dtype.kind == "O":
        labels = _of_objects(labels)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise UsageError("y contains NaN or infinity; leave these examples out")
    if not len(labels) or (labels == labels[0]).all():
        value = f", {labels[0]!s}" if len(labels) else " at most"
        raise UsageError(f"y has one class or value only{value}, so there is nothing to learn; give at least two")
    return labels


def _of_objects(labels: NDArray[Any]) -> NDArray[Any]:
    """Return objects as an array of strings or of numbers; raise `UsageError` for a mixture and for None."""
    if all(isinstance(label, str) for label in labels.tolist()):
        return labels.astype(str)
    try:
        return labels.astype(np.float64)
    except (TypeError, ValueError):
        raise UsageError("y has unknown label type: a mixture of strings, numbers or None; give one type") from None


def _found_kind(labels: NDArray[Any]) -> str:
    """Return the kind of target that labels are: numbers with fractions are continuous, all others are classes."""
    if labels.dtype.kind == "f" and (labels != np.floor(labels)).any():
        return "continuous"
    number = len(np.unique(labels))
    if number > MANY_CLASSES and labels.dtype.kind in "iuf":
        raise UsageError(
            f"y has {number:,} different whole numbers, which may be classes or numbers; give target_type='continuous' "
            "or 'multiclass'"
        )
    return "binary" if number == 2 else "multiclass"


def _continuous(labels: NDArray[Any]) -> Target:
    if labels.dtype.kind not in "fiub":
        raise UsageError(f"target_type 'continuous' needs numbers, but y has {labels.dtype}; use 'multiclass'")
    numbers = labels.astype(np.float64)
    mean, deviation = float(numbers.mean()), float(numbers.std())
    scaled = (numbers - mean) / deviation
    facts = {"target_mean": mean, "target_deviation": deviation}
    return Target("continuous", scaled[:, np.newaxis], shape_targets(scaled), facts)
