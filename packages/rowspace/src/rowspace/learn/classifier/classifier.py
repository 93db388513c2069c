"""`Classifier`: labels for texts, by the model that held-out texts favor."""

import dataclasses
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rowspace._base.options import check_option_names, shows_options
from rowspace._base.validate import check_whole_number
from rowspace.encode import Encoder
from rowspace.errors import UsageError
from rowspace.learn.classifier.calibration import apply_curve
from rowspace.learn.classifier.choosing import Part, choose
from rowspace.learn.classifier.estimator import Estimator
from rowspace.learn.classifier.members import Plan, Source, SupervisedRows, learn_member
from rowspace.learn.classifier.options import ClassifierOptions
from rowspace.learn.classifier.targets import Labeled, Weights, numbered, weights_of
from rowspace.table import Table

__all__ = ["Classifier"]

LIKELY = 0.5  # the probability from which a text has one of several labels
TEXTS_AT_ONCE = 4096
MAX_TEXTS, MAX_SCORES = 500_000, 20_000_000  # for TF-IDF of n-grams by default; a score is one of a text and a label


class Classifier(Estimator):
    """Texts → labels. Needs `rowspace[analysis]`.

    Without options, `fit` holds out a part of the texts, and chooses by them between learned rows of n-grams
    (fastText's supervised model), a linear model on TF-IDF of n-grams, a linear model on the vectors of a table if one
    is given, and the average of their probabilities; then it learns what was chosen from all texts (see `held_out`).
    Probabilities are calibrated on the held-out texts.

    Args:
        table: A table, an `Encoder`, or the path of a table, for "vectors" and as first rows of "rows"; or None.
        class_weight: What texts weigh by label: a dict, "balanced", or None.
        **options: The fields of `ClassifierOptions`: method="auto", held_out=0.15, cost=1.0, dim=100, lr=2.0, ...

    Attributes:
        classes_: The labels in order.
        chosen_: What was chosen, and why: one line.
        facts_: The log loss of all candidates on held-out texts, and the value of the measure that they were chosen by:
            "accuracy"; with weights "balanced accuracy" or "weighted accuracy"; of texts with several labels "P@1".
            Numbers of texts and labels.
        parts_: The learned models, each with its weight.

    >>> texts = ["a cat sat", "the cat ran", "a dog barked", "the dog ran"] * 5
    >>> classifier = Classifier(method="ngrams").fit(texts, ["cat", "cat", "dog", "dog"] * 5)
    >>> classifier.predict(["my cat", "dogs and a dog"]).tolist()
    ['cat', 'dog']
    """

    @shows_options(ClassifierOptions)
    def __init__(
        self,
        *,
        table: Encoder | Table | str | os.PathLike[str] | None = None,
        class_weight: Weights = None,
        **options: Any,
    ) -> None:
        check_option_names("Classifier", options, ClassifierOptions)
        self.table = table
        self.class_weight = class_weight
        for field in dataclasses.fields(ClassifierOptions):
            setattr(self, field.name, options.get(field.name, field.default))

    @shows_options(ClassifierOptions)
    def set_params(self, *, table: Any = ..., class_weight: Any = ..., **options: Any) -> Self:
        """Set the given parameters; all others stay as they are.

        Raises:
            UsageError: There is no parameter of this name.
        """
        check_option_names("Classifier", options, ClassifierOptions)
        for name, value in (options | {"table": table, "class_weight": class_weight}).items():
            if value is not ...:
                setattr(self, name, value)
        return self

    def fit(self, X: Iterable[str], y: Iterable[Any], *, sample_weight: Iterable[float] | None = None) -> Self:
        """Learn from texts and their labels.

        Args:
            X: n texts.
            y: For each text a label (a string, a whole number or a boolean) or a list of labels; or an array
                (n, labels) of 0 and 1.
            sample_weight: What each text weighs.

        Raises:
            UsageError: An option, a text, a label or a weight is invalid.
            FitDiverged: The learning rate of rows is too high, and there is no other model.
        """
        options = self._options()
        texts = _texts(X)
        labeled = numbered(y, len(texts))
        source = _source(texts, labeled, weights_of(labeled, self.class_weight, sample_weight))
        encoder = None
        if self.table is not None:
            from rowspace.learn.tuning.classifier import opened_encoder

            encoder = opened_encoder(self.table)
        choice = choose(_plans(options, encoder, labeled), source, options)
        self.facts_: dict[str, Any] = {"texts": len(texts), "labels": len(labeled.classes)} | choice.facts
        is_balanced = self.class_weight == "balanced" and sample_weight is None
        if is_balanced and self.facts_["measure"] == "weighted accuracy":
            self.facts_["measure"] = "balanced accuracy"
        self.parts_ = [
            Part(trial.member or learn_member(trial.plan, source), trial.curve, weight)
            for trial, weight in choice.trials
        ]
        self.classes_, self.label_kind_ = labeled.classes, labeled.kind
        self.chosen_ = _reason([(trial.plan, weight) for trial, weight in choice.trials], self.facts_)
        if options.method == "auto" and _is_large(labeled):
            self.chosen_ += '; TF-IDF of n-grams left out, since there are many texts (method="ngrams" learns it)'
        return self

    def predict(self, X: Iterable[str]) -> NDArray[Any]:
        """Return the most probable label of each text, (n,).

        Where texts had several labels, those with a probability of at least 0.5: for lists of labels a tuple for each
        text, (n,) of objects, and for an array of 0 and 1 such an array.
        """
        probabilities = self.predict_proba(X)
        if self.label_kind_ == "single":
            return np.asarray(self.classes_[probabilities.argmax(axis=1)])
        likely = probabilities >= LIKELY
        if self.label_kind_ == "matrix":
            return likely.astype(np.int64)
        found = np.empty(len(likely), object)
        found[:] = [tuple(self.classes_[row].tolist()) for row in likely]
        return found

    def predict_proba(self, X: Iterable[str]) -> NDArray[np.float64]:
        """Return the probability of each label for each text, (n, labels), in the order of `classes_`.

        They add up to 1 for each text, unless texts had several labels.
        """
        self._check_is_fitted()
        texts = _texts(X)
        found = np.zeros((len(texts), len(self.classes_)))
        for begin in range(0, len(texts), TEXTS_AT_ONCE):
            some = texts[begin : begin + TEXTS_AT_ONCE]
            for part in self.parts_:
                scores = part.member.scores(some)
                shares = apply_curve(scores, part.curve, is_single=self.label_kind_ == "single")
                found[begin : begin + TEXTS_AT_ONCE] += part.weight * shares
        return found

    def top(self, X: Iterable[str], *, k: int = 1, threshold: float = 0.0) -> list[list[tuple[str, float]]]:
        """Return the most probable labels of each text.

        Args:
            X: n texts.
            k: The maximum number of labels, 1 or more.
            threshold: Labels that are less probable are left out.

        Returns:
            For each text its labels, as strings, and their probabilities, the most probable first.
        """
        check_whole_number("k", k, 1, 2**31 - 1)
        probabilities = self.predict_proba(X)
        best = np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
        names = [str(label) for label in self.classes_.tolist()]
        return [
            [(names[place], float(row[place])) for place in places if row[place] >= threshold]
            for row, places in zip(probabilities, best, strict=True)
        ]

    def score(self, X: Iterable[str], y: Iterable[Any], sample_weight: Any = None) -> float:
        """Return the accuracy.

        Where texts have several labels, this is the share of texts for which `predict` has exactly the right ones, also
        of those without a label; it is smaller than P@1, which models are chosen by. A label counts as a list of one.
        """
        from sklearn.metrics import accuracy_score

        texts, answers = _texts(X), list(y)
        predicted = self.predict(texts)
        if self.label_kind_ == "several":
            wanted = [{each} if isinstance(each, str | int | np.generic) else set(each) for each in answers]
            right = np.array([set(a) == b for a, b in zip(predicted.tolist(), wanted, strict=True)], float)
            return float(np.average(right, weights=sample_weight))
        return float(accuracy_score(np.asarray(answers), predicted, sample_weight=sample_weight))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the models as safetensors, and labels and options as JSON, to a folder, atomically.

        Raises:
            UsageError: `path` is something else than a new folder or a saved classifier, or ends in .bin or .ftz.
            RowspaceError: The system refuses.
        """
        from rowspace.learn.classifier.saved import write_classifier

        self._check_is_fitted()
        write_classifier(self, path)

    def save_fasttext(self, path: str | os.PathLike[str]) -> None:
        """Write the model for fastText: quantized if `path` ends in .ftz; only that of the method "rows" can be.

        fastText reads probabilities that are not calibrated. A .ftz file is an eighth of a .bin.

        Raises:
            UsageError: Another method or an average was chosen, or a label has a blank.
        """
        from rowspace.learn.classifier.rows.fasttext_file import write_model

        self._check_is_fitted()
        member = self.parts_[0].member
        if len(self.parts_) > 1 or not isinstance(member, SupervisedRows):
            raise UsageError(
                'only one model of learned rows can be written for fastText; fit with method="rows" and no time_budget'
            )
        write_model(member.model, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Open a saved classifier, also one of `TextClassifier`, or a supervised model of fastText (.bin, .ftz).

        Raises:
            UsageError: There is no classifier at `path`.
            FileFormatError: It is damaged.
        """
        from rowspace.learn.classifier.saved import read_classifier

        found = cls()
        read_classifier(found, Path(path))
        return found

    @staticmethod
    def check_target(path: str | os.PathLike[str]) -> None:
        """Raise what `save` to `path` would raise about the path itself: call it before long work."""
        from rowspace.learn.classifier.saved import check_target

        check_target(path)

    def _options(self) -> ClassifierOptions:
        return ClassifierOptions(
            **{field.name: getattr(self, field.name) for field in dataclasses.fields(ClassifierOptions)}
        )


def _texts(given: Iterable[str]) -> list[str]:
    if isinstance(given, str):
        raise UsageError(f"X must be texts, got one text: {given[:40]!r}; put it into a list")
    texts = list(given)
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise UsageError(f"X must be texts, but entry {place} is {text!r:.60}")
    return texts


def _source(texts: list[str], labeled: Labeled, weights: NDArray[np.float32]) -> Source:
    """Return the texts that have a weight."""
    used = np.flatnonzero(weights > 0)
    if len(used) < 2:
        raise UsageError(f"a classifier needs at least two texts with a weight above 0, got {len(used)}")
    if not any(map(str.strip, texts)):
        raise UsageError("all texts are empty; check the column of texts")
    source = Source(texts, labeled, weights)
    source = source if len(used) == len(texts) else source.take(used)
    if not np.any(np.diff(source.labeled.numbers)):
        raise UsageError("texts with a weight above 0 must have at least two different labels; change the weights")
    return source


def _plans(options: ClassifierOptions, encoder: Encoder | None, labeled: Labeled) -> list[Plan]:
    """Return what to learn, or to choose from."""
    names = [options.method]
    if options.method == "auto":
        names = ["rows"] if _is_large(labeled) else ["ngrams", "rows"]
    has_several = labeled.kind != "single"
    if options.method == "auto" and encoder is not None and not has_several:
        names.append("vectors")
    if "vectors" in names and encoder is None:
        raise UsageError('the method "vectors" needs a table; give one by --table (table= in Python)')
    if "vectors" in names and has_several:
        raise UsageError('method="vectors" predicts one label of a text; use "auto", "rows" or "ngrams" for several')
    if encoder is not None and "vectors" not in names and "rows" in names and encoder.table.dim != options.dim:
        raise UsageError(
            f"rows of {options.dim} numbers cannot begin with those of a table of {encoder.table.dim}, which would be "
            f"unused; give --dim {encoder.table.dim} (dim= in Python), or leave out the table"
        )
    return [Plan(name, options, encoder) for name in names]


def _is_large(labeled: Labeled) -> bool:
    """Whether a linear model of n-grams would take more than some minutes or gigabytes."""
    return labeled.texts > MAX_TEXTS or labeled.texts * len(labeled.classes) > MAX_SCORES


def _reason(chosen: Sequence[tuple[Plan, float]], facts: dict[str, Any]) -> str:
    """Return one line about what was chosen and why."""
    if len(chosen) == 1:
        what = chosen[0][0].title
    else:
        what = "average of " + " and ".join(f"{weight:.2f} × {plan.title}" for plan, weight in chosen)
    if facts["measure"] is None:
        return f"{what}; nothing was measured, since no label has two texts"
    others = [f"{each['model']} {each['value']:.3f}" for each in facts["candidates"] if each["model"] != what]
    others += [f"{model} diverged (give a smaller lr)" for model in facts["diverged"]]
    line = f"{what}: {facts['measure']} {facts['value']:.3f} on {facts['held_out_texts']:,} held-out texts"
    return f"{line}; {', '.join(others)}" if others else line
