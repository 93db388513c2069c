"""Labels as they are given → numbers: one label for each text, several, or a matrix of 0 and 1."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError

__all__ = ["Labeled", "numbered", "taken", "weights_of"]

Weights = Mapping[Any, float] | str | None
_TYPES: dict[str, Any] = {
    "boolean": (bool, np.bool_),
    "string": str,
    "number": (int, np.integer),
}  # bool is an int, too


class Labeled(NamedTuple):
    """The labels of texts by number, in CSR form.

    Attributes:
        classes: The labels in order, (labels,).
        kind: "single", "several" (lists of labels), or "matrix" (columns of 0 and 1).
        indptr, numbers: Those of text i are `numbers[indptr[i] : indptr[i + 1]]`.
    """

    classes: NDArray[Any]
    kind: str
    indptr: NDArray[np.int64]
    numbers: NDArray[np.int32]

    @property
    def texts(self) -> int:
        """The number of texts."""
        return len(self.indptr) - 1

    def take(self, places: NDArray[np.int64]) -> "Labeled":
        """Return the labels of some texts."""
        return Labeled(self.classes, self.kind, *taken(self.indptr, self.numbers, places))

    def matrix(self) -> NDArray[np.bool_]:
        """Return which text has which label, (n, labels)."""
        found = np.zeros((self.texts, len(self.classes)), bool)
        found[np.repeat(np.arange(self.texts), np.diff(self.indptr)), self.numbers] = True
        return found


def taken(
    indptr: NDArray[np.int64], numbers: NDArray[np.int32], places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the lists `numbers[indptr[i] : indptr[i + 1]]` of some places, in the same form."""
    sizes, found = np.diff(indptr)[places], np.zeros(len(places) + 1, np.int64)
    np.cumsum(sizes, out=found[1:])
    return found, numbers[np.repeat(indptr[places] - found[:-1], sizes) + np.arange(found[-1])]


def numbered(labels: Iterable[Any], texts: int) -> Labeled:
    """Return labels as numbers.

    Args:
        labels: For each text a string, a whole number or a boolean; or a list, tuple or set of these; or an array
            (texts, labels) of 0 and 1.
        texts: The number of texts.

    Raises:
        UsageError: There are not as many labels as texts, they are of another type or too large, or there is only one.

    >>> numbered(["b", "a", "b"], 3).numbers.tolist(), numbered([["a", "b"], []], 2).indptr.tolist()
    ([1, 0, 1], [0, 2, 2])
    """
    given = labels if isinstance(labels, np.ndarray) else list(labels)
    if len(given) != texts:
        raise UsageError(f"y must have one entry for each of {texts:,} texts, got {len(given):,}")
    if isinstance(given, np.ndarray) and given.ndim == 2:
        return _of_matrix(given)
    if any(issubclass(each, (list, tuple, set, frozenset)) for each in set(map(type, given))):
        return _several(list(given))
    classes, numbers = _by_number(given)
    return _checked(Labeled(classes, "single", np.arange(texts + 1), numbers))


def _several(given: list[Any]) -> Labeled:
    for place, each in enumerate(given):
        if not isinstance(each, (list, tuple, set, frozenset)):
            raise UsageError(f"y must have a list of labels for each text, but entry {place} is {each!r:.40}")
    classes, numbers = _by_number([label for each in given for label in dict.fromkeys(each)] or [""])
    indptr = np.concatenate([[0], np.cumsum([len(set(each)) for each in given])]).astype(np.int64)
    return _checked(Labeled(classes, "several", indptr, numbers[: indptr[-1]]))


def _by_number(labels: Iterable[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the different labels in order, and the number of each label among them.

    They have one type: NumPy would make strings of all, also of numbers and missing values.
    """
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "Uiub":
        classes, numbers = np.unique(labels, return_inverse=True)
        return classes, numbers.astype(np.int32)
    given = list(labels)
    kinds = {
        each: next((kind for kind, types in _TYPES.items() if issubclass(each, types)), None)
        for each in set(map(type, given))
    }
    allowed = {each for each, kind in kinds.items() if kind is not None and kind == kinds[type(given[0])]}
    if not kinds.keys() <= allowed:
        odd = next(each for each in given if type(each) not in allowed)
        raise UsageError(
            "y must have labels that are all strings, all whole numbers or all booleans, or lists of these, but it has "
            f"{odd!r:.60} ({type(odd).__name__})"
        )
    places = {label: place for place, label in enumerate(dict.fromkeys(given))}  # since NumPy sorts strings slowly
    classes, numbers = np.unique(np.asarray(list(places)), return_inverse=True)
    return classes, numbers.astype(np.int32)[[places[label] for label in given]]


def _of_matrix(given: NDArray[Any]) -> Labeled:
    if given.dtype.kind not in "iubf" or not np.isin(given, (0, 1)).all():
        raise UsageError("y with two dimensions must be 0 and 1, a column for each label")
    texts, numbers = np.nonzero(given)
    indptr = np.searchsorted(texts, np.arange(len(given) + 1)).astype(np.int64)
    return _checked(Labeled(np.arange(given.shape[1]), "matrix", indptr, numbers.astype(np.int32)))


def _checked(found: Labeled) -> Labeled:
    if not len(found.numbers):
        raise UsageError("y must have labels, but no text has one; check the column of labels")
    if np.asarray(found.classes.tolist()).dtype.kind not in "Uib":  # as a saved classifier is read
        raise UsageError("whole numbers of y must be from -2**63 to 2**63 - 1; give others as strings")
    if len(found.classes) < 2:
        raise UsageError(f"there must be at least two different labels (y), got {found.classes.tolist()!r:.60}")
    return found


def weights_of(labeled: Labeled, class_weight: Weights, sample_weight: Iterable[float] | None) -> NDArray[np.float32]:
    """Return what each text weighs, (n,), 1 in the mean.

    Args:
        labeled: Labels of texts.
        class_weight: By label, others 1; or "balanced", in inverse proportion to the number of texts; or None. A text
            with several labels has the mean of theirs.
        sample_weight: By text, or None.

    Raises:
        UsageError: A weight is negative or not finite, a label is unknown, or the number of weights differs.
    """
    by_label = np.ones(len(labeled.classes))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise UsageError(f"{_CLASS_WEIGHT}, not {class_weight!r}")
        by_label = 1 / np.maximum(1, np.bincount(labeled.numbers, minlength=len(by_label)))
    elif class_weight is not None:
        if not isinstance(class_weight, Mapping):
            raise UsageError(f"{_CLASS_WEIGHT}, not {class_weight!r:.60}")
        places = {label: place for place, label in enumerate(labeled.classes.tolist())}
        for label, weight in class_weight.items():
            if label not in places:
                raise UsageError(f"class_weight has the label {label!r}, which no text has")
            by_label[places[label]] = _numbers(f"class_weight of {label!r}", weight, ())
    sizes = np.diff(labeled.indptr)
    sums = np.add.reduceat(np.append(by_label[labeled.numbers], 0), labeled.indptr[:-1]) * (sizes > 0)
    found = np.where(sizes > 0, sums / np.maximum(1, sizes), 1.0)
    if sample_weight is not None:
        found = found * _numbers("sample_weight", sample_weight, found.shape)
    if not (np.isfinite(found).all() and (found >= 0).all() and found.sum() > 0):
        raise UsageError("weights must be finite, 0 or more, and not all 0")
    return np.asarray(found / found.mean(), np.float32)


_CLASS_WEIGHT = 'class_weight must be "balanced", None or a dict from label to weight'


def _numbers(name: str, given: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return numbers of this shape; raise `UsageError` for anything else."""
    listed = given if isinstance(given, np.ndarray) or not isinstance(given, Iterable) else list(given)
    try:
        found = np.asarray(listed, float)
    except (TypeError, ValueError):
        found = None
    if found is None or found.shape != shape:
        wanted = f"have one number for each of {shape[0]:,} texts" if shape else "be a number"
        got = f"{len(listed):,}" if shape and found is not None and found.ndim == 1 else repr(given)[:60]
        raise UsageError(f"{name} must {wanted}, got {got}")
    return found
