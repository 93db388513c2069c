"""Linear probes on rows and on the states of each layer, with a control task.

A probe that learns anything says little about the vectors. The control task gives each kind of token a random label
(Hewitt and Liang, 2019): what the probe learns of that, it has memorized.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from rowspace.contextual.rows import ContextualRows

__all__ = ["ProbeScore", "probe", "probe_layers"]

MIN_EXAMPLES = 10  # examples


@dataclass(frozen=True)
class ProbeScore:
    """What a linear probe reaches on examples that it has not seen.

    Attributes:
        accuracy: The share of right labels.
        majority: That of the most frequent label of the training examples.
        control: The accuracy of another probe on random labels, the same for all examples of a kind.
        train: Examples to learn from.
        test: Examples to measure.
    """

    accuracy: float
    majority: float
    control: float
    train: int
    test: int

    @property
    def selectivity(self) -> float:
        """Accuracy minus that of the control: what is in the vectors rather than memorized."""
        return self.accuracy - self.control


def probe(
    vectors: NDArray[Any],
    labels: Sequence[object],
    *,
    kinds: Sequence[object] | None = None,
    groups: Sequence[object] | None = None,
    test_share: float = 0.3,
    seed: int = 0,
) -> ProbeScore:
    """Measure how well a linear classifier reads labels from vectors.

    Args:
        vectors: (n, d), rows of a table or states of a layer.
        labels: n labels.
        kinds: n kinds, such as the tokens: the control task gives all examples of a kind one label. By default each
            example is a separate kind, so that the control can only be guessed.
        groups: n groups, such as the texts: a group is either learned from or measured. By default examples are drawn
            one by one.
        test_share: The share that is measured.
        seed: Seed of the split and of the random labels.

    Returns:
        The accuracies.

    Raises:
        UsageError: There are fewer than 10 examples or two labels, or the sizes differ.
        MissingExtraError: scikit-learn is not installed.

    >>> rows = np.concatenate([np.eye(8)[:4].repeat(8, 0), np.eye(8)[4:].repeat(8, 0)])
    >>> probe(rows, ["a"] * 32 + ["b"] * 32).accuracy
    1.0
    """
    vectors = np.asarray(vectors, np.float64)
    names, classes = np.unique(np.array([str(label) for label in labels]), return_inverse=True)
    for what, values in (("labels", labels), ("kinds", kinds), ("groups", groups)):
        if values is not None and len(values) != len(vectors):
            raise UsageError(f"there are {len(vectors)} vectors but {len(values)} {what}; give one for each")
    if vectors.ndim != 2 or len(vectors) < MIN_EXAMPLES or len(names) < 2:
        raise UsageError(
            f"a probe needs vectors (n, d) of at least {MIN_EXAMPLES} examples and two labels, got {vectors.shape} and "
            f"{len(names)}"
        )
    train, test = _split(len(vectors), groups, test_share, seed)
    if not len(train) or not len(test) or len(np.unique(classes[train])) < 2:
        raise UsageError("the examples to learn from have one label only; give more examples, or another seed")
    _, of_kind = np.unique(
        np.array([str(kind) for kind in (range(len(vectors)) if kinds is None else kinds)]), return_inverse=True
    )
    random = np.random.default_rng(seed).choice(classes, of_kind.max() + 1)[of_kind]
    majority = np.bincount(classes[train]).argmax()
    return ProbeScore(
        accuracy=_accuracy(vectors, classes, train, test),
        majority=float((classes[test] == majority).mean()),
        control=_accuracy(vectors, random, train, test),
        train=len(train),
        test=len(test),
    )


def probe_layers(
    rows: "ContextualRows", labels: Sequence[Sequence[object | None]], *, test_share: float = 0.3, seed: int = 0
) -> dict[str, ProbeScore]:
    """Probe the static rows and each layer of some texts; texts are split into those to learn from and others.

    Args:
        rows: From `contextual_rows`.
        labels: For each text a label for each token; tokens with None are left out.
        test_share: As in `probe`.
        seed: As in `probe`.

    Returns:
        The score of "rows", and of "layer 0" (the input) and the following.

    Raises:
        UsageError: As `probe`; or labels do not fit the texts.
        MissingExtraError: scikit-learn is not installed.
    """
    if [len(text) for text in labels] != [len(tokens) for tokens in rows.tokens]:
        raise UsageError("labels must have one entry for each token of each text; None leaves a token out")
    chosen = [(text, place) for text, row in enumerate(labels) for place, label in enumerate(row) if label is not None]
    options: dict[str, Any] = {
        "labels": [labels[text][place] for text, place in chosen],
        "kinds": [rows.tokens[text][place] for text, place in chosen],
        "groups": [text for text, _ in chosen],
        "test_share": test_share,
        "seed": seed,
    }
    vectors = {"rows": [rows.static[text][place] for text, place in chosen]}
    for layer in range(rows.layers):
        vectors[f"layer {layer}"] = [rows.states[text][layer, place] for text, place in chosen]
    return {name: probe(np.array(found), **options) for name, found in vectors.items()}


def _split(
    count: int, groups: Sequence[object] | None, test_share: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The examples to learn from and those to measure."""
    if not 0 < test_share < 1:
        raise UsageError(f"test_share must be between 0 and 1, not {test_share}")
    _, of_group = np.unique(
        np.array([str(group) for group in (range(count) if groups is None else groups)]), return_inverse=True
    )
    number = of_group.max() + 1
    order = np.random.default_rng(seed).permutation(number)
    is_test = np.isin(of_group, order[: max(1, round(test_share * number))])
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def _accuracy(
    vectors: NDArray[Any], classes: NDArray[np.int64], train: NDArray[np.int64], test: NDArray[np.int64]
) -> float:
    """Learn a linear classifier and measure it."""
    try:
        from sklearn.linear_model import LogisticRegression  # an extra
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError as error:
        raise MissingExtraError("a probe needs scikit-learn: pip install 'rowspace[analysis]'") from error
    if len(np.unique(classes[train])) < 2:  # random labels of few examples
        return float((classes[test] == classes[train][0]).mean())
    classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a probe that has not converged is measured as it is
        classifier.fit(vectors[train], classes[train])
    return float(classifier.score(vectors[test], classes[test]))
