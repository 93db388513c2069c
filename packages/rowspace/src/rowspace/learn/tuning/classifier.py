"""`TextClassifier`: labels for texts, by scikit-learn's logistic regression or MLP on the vectors of an encoder."""

import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rowspace.encode import Encoder
from rowspace.errors import MissingExtraError, UsageError
from rowspace.learn.tuning.saved_classifier import SavedClassifier, check_target, read_classifier, write_classifier
from rowspace.table import Table

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.validation import check_is_fitted

    from rowspace.encode.text_encoder import checked_texts
except ImportError as error:
    raise MissingExtraError("a classifier needs scikit-learn: pip install 'rowspace[analysis]'") from error

__all__ = ["TextClassifier", "opened_encoder"]

KINDS = ("linear", "mlp")


class TextClassifier(ClassifierMixin, BaseEstimator):
    """Texts → labels. Needs `rowspace[analysis]`.

    The columns of the vectors are scaled to variance 1, and logistic regression ("linear") or a network of one hidden
    layer ("mlp") learns from them. What was learned is kept as plain matrices: a saved classifier has no pickle, and
    neither needs the version of scikit-learn that learned it.

    Args:
        encoder: An `Encoder`, a `Table`, or what `Encoder.load` opens.
        kind: "linear" or "mlp".
        hidden_units: Hidden units of the MLP.
        max_iter: The maximum number of iterations (linear) or epochs (MLP).
        seed: Seed of the MLP.

    Attributes:
        classes_: The labels in order.
        layers_: The matrix (d, e) and the bias (e,) of each layer, float64.
        facts_: How it was learned, saved with it; empty after `fit`.

    >>> from rowspace.text import whitespace_json
    >>> words = ["cat", "dog", "red", "blue"]
    >>> rows = np.array([[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9]], np.float32)
    >>> table = Table(words, rows, tokenizer=whitespace_json(words))
    >>> classifier = TextClassifier(table).fit(["cat", "red"], ["pet", "color"])
    >>> classifier.predict(["dog dog", "blue"]).tolist()
    ['pet', 'color']
    """

    def __init__(
        self,
        encoder: Encoder | Table | str | os.PathLike[str],
        *,
        kind: str = "linear",
        hidden_units: int = 100,
        max_iter: int = 500,
        seed: int = 0,
    ) -> None:
        self.encoder = encoder
        self.kind = kind
        self.hidden_units = hidden_units
        self.max_iter = max_iter
        self.seed = seed

    def fit(self, X: Iterable[str], y: Iterable[Any], *, sample_weight: NDArray[Any] | None = None) -> Self:
        """Learn from texts and their labels.

        Args:
            X: n texts.
            y: n labels: strings, whole numbers or booleans, at least two different ones.
            sample_weight: What each text weighs, (n,); of the kind "linear" only.

        Raises:
            UsageError: The kind is unknown or takes no weights, or texts and labels do not fit.
        """
        if self.kind not in KINDS:
            raise UsageError(f"kind must be {' or '.join(KINDS)}, not {self.kind!r}")
        if sample_weight is not None and self.kind != "linear":
            raise UsageError('sample_weight needs kind="linear"; leave it out, or change the kind')
        texts, labels = checked_texts(X), np.asarray(list(y))
        if labels.ndim != 1 or labels.dtype.kind not in "Uiub" or len(labels) != len(texts):
            raise UsageError(f"y must be one label for each of {len(texts):,} texts, strings or whole numbers")
        if len(set(labels.tolist())) < 2:
            raise UsageError("y must have at least two different labels; check the column of labels")
        opened = opened_encoder(self.encoder)
        vectors = _vectors(opened, texts)
        self._encoder, self.facts_ = opened, dict[str, Any]()
        self.classes_, self.layers_ = self._learn(vectors, labels, sample_weight)
        return self

    def predict(self, X: Iterable[str]) -> NDArray[Any]:
        """Return the most probable label of each text: (n,)."""
        labels: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels

    def predict_proba(self, X: Iterable[str]) -> NDArray[np.float64]:
        """Return the probability of each label for each text: (n, number of labels), in the order of `classes_`."""
        check_is_fitted(self, "layers_")
        values = _vectors(self._encoder, checked_texts(X))
        for number, (weight, bias) in enumerate(self.layers_):
            values = (np.maximum(values, 0) if number else values) @ weight + bias
        if values.shape[1] == 1:  # one number for two labels
            values = np.hstack([np.zeros_like(values), values])
        powers = np.exp(values - values.max(axis=1, keepdims=True))
        probabilities: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
        return probabilities

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table, the weights as safetensors, and the labels and options as JSON to a folder, atomically.

        The folder also opens as a table with `rowspace.load`.

        Raises:
            UsageError: `path` is something else than a new folder or a saved classifier.
            RowspaceError: The system refuses.
        """
        check_is_fitted(self, "layers_")
        params = {name: value for name, value in self.get_params().items() if name != "encoder"}
        saved = SavedClassifier(params, self.classes_, self.layers_, self.facts_)
        write_classifier(saved, self._encoder, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Open a saved classifier.

        Raises:
            UsageError: There is no classifier at `path`.
            FileFormatError: It is damaged.
        """
        saved, encoder = read_classifier(Path(path))
        classifier = cls(encoder, **saved.params)
        classifier._encoder, classifier.facts_ = encoder, saved.facts
        classifier.classes_, classifier.layers_ = saved.classes, saved.layers
        return classifier

    @staticmethod
    def check_target(path: str | os.PathLike[str]) -> None:
        """Raise what `save` to `path` would raise about the path itself: call it before long work."""
        check_target(path)

    def _learn(
        self, vectors: NDArray[Any], labels: NDArray[Any], weights: NDArray[Any] | None
    ) -> tuple[NDArray[Any], list[Any]]:
        """Return the labels and the layers of scikit-learn's model, with the scaling in the first layer."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression
        from sklearn.neural_network import MLPClassifier
        from sklearn.preprocessing import StandardScaler

        scaler = StandardScaler().fit(vectors)
        model: Any = LogisticRegression(max_iter=self.max_iter)
        if self.kind == "mlp":
            model = MLPClassifier((self.hidden_units,), max_iter=self.max_iter, random_state=self.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # accuracy on held-out texts says if it was enough
            model.fit(scaler.transform(vectors), labels, **({} if weights is None else {"sample_weight": weights}))
        matrices = [model.coef_.T] if self.kind == "linear" else model.coefs_
        biases = [model.intercept_] if self.kind == "linear" else model.intercepts_
        layers = zip(matrices, biases, strict=True)
        (weight, bias), *others = [(np.asarray(one, float), np.asarray(two, float)) for one, two in layers]
        scaled = weight / scaler.scale_[:, np.newaxis]
        return model.classes_, [(scaled, bias - scaler.mean_ @ scaled), *others]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


def opened_encoder(encoder: Encoder | Table | str | os.PathLike[str]) -> Encoder:
    """Return the encoder of a table or a path."""
    if isinstance(encoder, Encoder):
        return encoder
    if isinstance(encoder, Table):
        return Encoder(encoder)
    return Encoder.load(encoder if isinstance(encoder, str) else Path(encoder))


def _vectors(encoder: Encoder, texts: list[str]) -> NDArray[np.float64]:
    return np.asarray(encoder.encode(texts, dtype="float32"), np.float64)
