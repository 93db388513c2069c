"""Figures of a classifier on texts with labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["measure"]


def measure(
    classes: NDArray[Any], probabilities: NDArray[np.float64], labels: Sequence[Any], *, k: int
) -> dict[str, Any]:
    """Return how well probabilities predict labels.

    Args:
        classes: (c,), the labels that can be predicted.
        probabilities: (n, c).
        labels: A label for each text, or a list of labels for each.
        k: The number of labels in P@k and R@k.

    Returns:
        `texts`, and `without_known_label`, how many of them have no label in `classes`; `accuracy` and `macro_f1` over
        all texts with one label each, where a label that is not in `classes` is never found; `precision_at_k` and
        `recall_at_k` as fastText has them (the share of the k most probable labels that are right, and the share of
        right labels among the k most probable), over the labels in `classes` of texts that have one; and for each label
        `precision`, `recall`, `f1` and `texts`, of the most probable label, or where texts have several, of labels with
        a probability of at least 0.5.

    >>> found = measure(np.array(["a", "b"]), np.array([[0.9, 0.1], [0.4, 0.6]]), ["a", "a"], k=1)
    >>> found["accuracy"], found["labels"]["a"]["recall"]
    (0.5, 0.5)
    """
    from sklearn.metrics import precision_recall_fscore_support

    has_several = any(isinstance(label, (list, tuple, set)) for label in labels)
    answers = [set(map(str, label)) if has_several and not isinstance(label, str) else {str(label)} for label in labels]
    known = [str(label) for label in classes.tolist()]
    names = sorted(set(known).union(*answers))
    places = {name: place for place, name in enumerate(names)}
    truth = np.array([[name in answer for name in names] for answer in answers], bool).reshape(len(labels), len(names))
    columns = np.array([places[name] for name in known])
    known_truth = truth[:, columns]
    best = np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
    has_known = known_truth.any(axis=1)
    hits = np.take_along_axis(known_truth, best, axis=1).sum()
    predicted = np.zeros(truth.shape, bool)
    if has_several:
        predicted[:, columns] = probabilities >= 0.5
    else:
        predicted[np.arange(len(truth)), columns[best[:, 0]]] = True
    each = precision_recall_fscore_support(truth, predicted, average=None, zero_division=0.0)
    found: dict[str, Any] = {"texts": len(labels), "without_known_label": int((~has_known).sum())}
    used: NDArray[np.bool_] = np.logical_or(truth, predicted).any(axis=0)
    if not has_several:
        found["accuracy"] = float((truth & predicted).any(axis=1).mean())
    return found | {
        "macro_f1": float(each[2][used].mean()),
        "k": k,
        "precision_at_k": float(hits / max(1, best[has_known].size)),
        "recall_at_k": float(hits / max(1, known_truth.sum())),
        "labels": {
            name: {"precision": float(p), "recall": float(r), "f1": float(f), "texts": int(count)}
            for name, p, r, f, count in zip(names, *each, strict=True)
            if used[places[name]]
        },
    }
