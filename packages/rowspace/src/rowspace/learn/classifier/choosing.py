"""`choose`: learn the candidates on a part of the texts, and compare them and their averages on the others."""

import dataclasses
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FitDiverged
from rowspace.learn.classifier.calibration import apply_curve, calibrated, log_loss, mixture_weights
from rowspace.learn.classifier.members import Member, Plan, Source, learn_member
from rowspace.learn.classifier.options import ClassifierOptions

__all__ = ["Choice", "Part", "Trial", "choose"]

SMALL, FOLDS = 1000, 5  # fewer texts are held out in turn
MOST_HELD_OUT, FEW = 10_000, 0.02  # a model need not be learned again for so small a share of the texts
LEAST_WEIGHT = 0.05  # of a model in an average
TINY = 1e-9
OTHERS: tuple[tuple[str, dict[str, Any]], ...] = (  # what a time budget tries, in turn
    ("ngrams", {"cost": 0.2}),
    ("rows", {"min_n": 0, "max_n": 0, "lr": 1.0, "epochs": 25}),
    ("ngrams", {"cost": 5.0}),
    ("rows", {"min_n": 2, "max_n": 5, "lr": 2.0, "epochs": 15}),
    ("rows", {"word_ngrams": 1, "min_n": 2, "max_n": 4, "lr": 1.0, "epochs": 30}),
    ("ngrams", {"cost": 0.05}),
    ("rows", {"dim": 200, "min_n": 3, "max_n": 6, "lr": 1.0, "epochs": 25}),
)


class Trial(NamedTuple):
    """A candidate on held-out texts."""

    plan: Plan
    curve: tuple[float, float]
    probabilities: NDArray[np.float64]  # of the held-out texts
    value: float  # accuracy, or P@1
    loss: float
    seconds: float
    member: Member | None  # the model, if it need not be learned again


class Part(NamedTuple):
    """A learned model with its curve and its weight in the average."""

    member: Member
    curve: tuple[float, float]
    weight: float


class Choice(NamedTuple):
    """What was chosen: candidates with their weights, and the figures of all candidates on held-out texts."""

    trials: list[tuple[Trial, float]]
    facts: dict[str, Any]


def choose(plans: Sequence[Plan], source: Source, options: ClassifierOptions) -> Choice:
    """Compare plans and the average of some of them on held-out texts.

    The most accurate is chosen; the average if it is as accurate as the best of its parts. Texts count by their
    weights. Where texts have several labels, P@1 is the accuracy: the share of texts with a label whose most probable
    label is right. If no label has two texts, there is nothing to measure on, and the measure is None.
    """
    began, trials = time.monotonic(), list[Trial]()
    splits, is_kept = _splits(source, options), False
    if options.time_budget is None and len(splits[0][1]) <= FEW * len(source.texts):
        learned, tests = _with_all_labels(*splits[0], source)
        if len(tests):
            splits, is_kept = [(learned, tests)], True
    held = np.concatenate([tests for _, tests in splits])
    truth, is_single = source.labeled.take(held).matrix(), source.labeled.kind == "single"
    weights = source.weights[held].astype(np.float64)
    left_out = list[str]()
    for plan in _planned(plans, options, began, trials):
        try:
            trials.append(_tried(plan, splits, source, truth, weights, is_single=is_single, is_kept=is_kept))
        except FitDiverged:
            left_out.append(plan.title)
    if not trials:
        raise FitDiverged("the learning rate is too high for these texts; give a smaller lr")
    best = max(trials, key=lambda trial: (trial.value, -trial.loss))
    chosen, value = [(best, 1.0)], best.value
    average = None
    if len(trials) > 1:
        average = _average(trials, truth, weights, is_single=is_single)
        if len(average[0]) > 1 and average[1] >= best.value:
            chosen, value = average[:2]
    facts: dict[str, Any] = {
        "measure": _measure(source, is_single=is_single),
        "held_out_texts": len(held),
        "folds": len(splits),
        "value": value,
        "candidates": [{"model": trial.plan.title, "value": trial.value, "log_loss": trial.loss} for trial in trials],
        "diverged": left_out,
    }
    if average is not None:
        facts["average"] = {"value": average[1], "log_loss": average[2]}
    return Choice(chosen, facts)


def _measure(source: Source, *, is_single: bool) -> str | None:
    if np.bincount(source.labeled.numbers).max() < 2:
        return None
    return ("weighted " if np.ptp(source.weights) else "") + ("accuracy" if is_single else "P@1")


def _planned(plans: Sequence[Plan], options: ClassifierOptions, began: float, trials: list[Trial]) -> Iterator[Plan]:
    """Yield the plans, and others while the budget allows one as slow as the slowest and the final fit."""
    yield from plans
    if options.time_budget is None:
        return
    for name, changed in OTHERS:
        if name not in {plan.name for plan in plans}:
            continue
        same = [trial.seconds for trial in trials if trial.plan.name == name]
        final = sum({trial.plan.name: trial.seconds for trial in trials}.values())
        if time.monotonic() - began + 2 * max(same, default=0.0) + 2 * final > options.time_budget:
            return
        yield Plan(name, dataclasses.replace(options, **changed), plans[0].table)


def _splits(source: Source, options: ClassifierOptions) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return pairs of texts to learn from and texts to test with; labels have about equal shares where they can."""
    number, generator = source.labeled.texts, np.random.default_rng(options.seed)
    order = generator.permutation(number)
    if source.labeled.kind == "single":  # texts of a label follow each other, so that each part has its share
        order = order[np.argsort(source.labeled.numbers[order], kind="stable")]
    if number < SMALL:
        folds = min(FOLDS, number)
        parts = [order[place::folds] for place in range(folds)]
    else:
        held = min(int(number * options.held_out), MOST_HELD_OUT)
        step = max(1 / options.held_out, number / MOST_HELD_OUT)
        parts = [order[(np.arange(held) * step + step / 2).astype(int)]]
    everything = np.arange(number)
    return [(np.delete(everything, part), np.sort(part)) for part in parts]


def _with_all_labels(
    learned: NDArray[np.int64], tests: NDArray[np.int64], source: Source
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Learn from texts with a label that no other text has, too."""
    labeled = source.labeled
    known = np.bincount(labeled.take(learned).numbers, minlength=len(labeled.classes)) > 0
    moved = labeled.take(tests).matrix()[:, ~known].any(axis=1)
    return np.sort(np.concatenate([learned, tests[moved]])), tests[~moved]


def _tried(
    plan: Plan,
    splits: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
    source: Source,
    truth: NDArray[np.bool_],
    weights: NDArray[np.float64],
    *,
    is_single: bool,
    is_kept: bool,
) -> Trial:
    began, scores = time.monotonic(), list[NDArray[Any]]()
    if plan.name == "ngrams":
        source.counts()
    for learned, tests in splits:
        member = learn_member(plan, source.take(learned))
        scores.append(member.scores([source.texts[place] for place in tests.tolist()]))
    found = np.concatenate(scores)
    curve = calibrated(found, truth, weights, is_single=is_single)
    probabilities = apply_curve(found, curve, is_single=is_single)
    value = _accuracy(probabilities, truth, weights)
    loss, seconds = log_loss(probabilities, truth, weights), time.monotonic() - began
    return Trial(plan, curve, probabilities, value, loss, seconds, member if is_kept else None)


def _accuracy(probabilities: NDArray[np.float64], truth: NDArray[np.bool_], texts: NDArray[np.float64]) -> float:
    """Return the share of texts with a label, by weight, whose most probable label is right; 0 if there are none."""
    right, labeled = truth[np.arange(len(truth)), probabilities.argmax(axis=1)], texts * truth.any(axis=1)
    return float(right @ labeled / max(labeled.sum(), TINY))


def _average(
    trials: Sequence[Trial], truth: NDArray[np.bool_], texts: NDArray[np.float64], *, is_single: bool
) -> tuple[list[tuple[Trial, float]], float, float]:
    """Return the average with the least log loss, its accuracy by the weights of `texts`, and its loss."""
    weights = mixture_weights([trial.probabilities for trial in trials], truth, texts, is_single=is_single)
    kept = weights >= LEAST_WEIGHT
    weights = np.where(kept, weights, 0) / weights[kept].sum()
    mixed = sum(weight * trial.probabilities for weight, trial in zip(weights, trials, strict=True))
    parts = [(trial, float(w)) for w, trial in zip(weights, trials, strict=True) if w > 0]
    return parts, _accuracy(np.asarray(mixed), truth, texts), log_loss(np.asarray(mixed), truth, texts)
