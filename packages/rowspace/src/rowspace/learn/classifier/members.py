"""The models that a classifier chooses from; each gives scores of labels, which a curve makes probabilities."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rowspace.encode import Encoder
from rowspace.learn.classifier.ngrams.kernels import Targets as NgramTargets
from rowspace.learn.classifier.ngrams.linear import NgramModel, counted, learn_ngrams
from rowspace.learn.classifier.options import ClassifierOptions, RowsOptions
from rowspace.learn.classifier.rows.learning import Targets, learn_rows
from rowspace.learn.classifier.rows.model import SupervisedModel
from rowspace.learn.classifier.targets import Labeled
from rowspace.table import Table

if TYPE_CHECKING:  # takes scikit-learn, which other members do not need
    from rowspace.learn.tuning.classifier import TextClassifier

__all__ = ["Member", "Ngrams", "Plan", "Source", "SupervisedRows", "Vectors", "learn_member"]

TINY = 1e-9


@dataclasses.dataclass(frozen=True)
class Plan:
    """What to learn.

    Attributes:
        name: "rows", "ngrams" or "vectors".
        options: of the classifier.
        table: of "vectors"; words of "rows" begin with its rows if the dimensions agree.
    """

    name: str
    options: ClassifierOptions
    table: Encoder | None = None

    @property
    def title(self) -> str:
        """What messages name it."""
        if self.name == "ngrams":
            return f"TF-IDF of n-grams (cost {self.options.cost:g})"
        if self.name == "vectors":
            return "vectors of the table"
        chosen = self.options
        return f"rows of n-grams (dim {chosen.dim}, lr {chosen.lr:g}, epochs {chosen.epochs})"


class Source:
    """Texts, and what several plans compute from them once.

    Attributes:
        texts: n texts.
        labeled: Their labels.
        weights: What each text weighs.
    """

    def __init__(self, texts: Sequence[str], labeled: Labeled, weights: NDArray[np.float32]) -> None:
        self.texts, self.labeled, self.weights = texts, labeled, weights
        self._counts: list[Any] | None = None

    def counts(self) -> list[Any]:
        """Return the counts of n-grams."""
        if self._counts is None:
            self._counts = counted(self.texts)
        return self._counts

    def take(self, places: NDArray[np.int64]) -> "Source":
        """Return some of the texts."""
        found = Source(
            [self.texts[place] for place in places.tolist()], self.labeled.take(places), self.weights[places]
        )
        if self._counts is not None:
            found._counts = [each[places] for each in self._counts]
        return found


@dataclasses.dataclass(frozen=True, eq=False)
class Ngrams:
    """A linear model on TF-IDF of n-grams."""

    model: NgramModel
    name = "ngrams"

    def scores(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the scores of labels."""
        return self.model.scores(texts)


@dataclasses.dataclass(frozen=True, eq=False)
class SupervisedRows:
    """Learned rows; `order[i]` is the place in the model of label i."""

    model: SupervisedModel
    order: NDArray[np.int64]
    name = "rows"

    def scores(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the logarithms of probabilities, or of odds where a text may have several labels."""
        found = self.model.predict_proba(texts)[:, self.order].astype(np.float64)
        if self.model.options.loss in ("softmax", "hierarchical"):
            return np.log(np.maximum(found, TINY))
        return np.log(np.maximum(found, TINY)) - np.log(np.maximum(1 - found, TINY))


@dataclasses.dataclass(frozen=True, eq=False)
class Vectors:
    """A linear model on the vectors of a table; `places` are the numbers of its labels, of `labels` in all.

    Without a model, each text has the only label that there is: one in `places`.
    """

    model: "TextClassifier | None"
    places: NDArray[np.int64]
    labels: int
    name = "vectors"

    def scores(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the logarithms of probabilities."""
        found = np.full((len(texts), self.labels), np.log(TINY))
        shares = 1.0 if self.model is None else self.model.predict_proba(texts)
        found[:, self.places] = np.log(np.maximum(shares, TINY))
        return found


Member = Ngrams | SupervisedRows | Vectors
"""A learned model; `scores(texts)` are those of labels, in the order of the classes: (n, labels)."""


def learn_member(plan: Plan, source: Source) -> Member:
    """Learn a model from texts; labels that none of them has get the lowest score."""
    labeled = source.labeled
    if plan.name == "ngrams":
        costs = np.maximum(source.weights * np.float32(plan.options.cost), np.float32(1e-6))
        targets = NgramTargets(labeled.indptr, labeled.numbers, costs)
        return Ngrams(learn_ngrams(source.counts(), targets, len(labeled.classes), seed=plan.options.seed))
    if plan.table is not None and plan.name == "vectors":
        return _learn_vectors(plan.table, source)
    fields = {field.name: getattr(plan.options, field.name) for field in dataclasses.fields(RowsOptions)}
    if labeled.kind != "single":
        fields["loss"] = "one-vs-all"
    names = [str(label) for label in labeled.classes.tolist()]
    init = _first_rows(plan)
    model = learn_rows(
        source.texts,
        Targets(labeled.indptr, labeled.numbers, source.weights),
        names,
        RowsOptions(**fields),
        init=init,
    )
    places = {name: place for place, name in enumerate(model.labels)}
    return SupervisedRows(model, np.array([places[name] for name in names], np.int64))


def _learn_vectors(table: Encoder, source: Source) -> Vectors:
    from rowspace.learn.tuning.classifier import TextClassifier

    numbers, model = source.labeled.numbers, None
    known = np.unique(numbers).astype(np.int64)
    if len(known) > 1:
        model = TextClassifier(table).fit(source.texts, numbers, sample_weight=source.weights)
    return Vectors(model, known, len(source.labeled.classes))


def _first_rows(plan: Plan) -> Table | None:
    return plan.table.table if plan.table is not None and plan.table.table.dim == plan.options.dim else None
