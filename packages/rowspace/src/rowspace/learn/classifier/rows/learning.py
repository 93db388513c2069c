"""`learn_rows`: texts and labels → a `SupervisedModel`."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import map_ranges, split_range
from rowspace.errors import FitDiverged
from rowspace.learn.classifier.options import RowsOptions
from rowspace.learn.classifier.rows.dictionary import Dictionary, count_dictionary, joined
from rowspace.learn.classifier.rows.features import Parts, compacted, features_of, parts_of, some_buckets
from rowspace.learn.classifier.rows.kernels.features import NO_ROW, Buckets, Rules
from rowspace.learn.classifier.rows.kernels.train import (
    AT_ONCE,
    HIERARCHICAL,
    NEGATIVE,
    ONE_VS_ALL,
    SOFTMAX,
    Examples,
    Net,
    Nodes,
    Scratch,
    learn,
)
from rowspace.learn.classifier.rows.model import SupervisedModel, build_tree
from rowspace.learn.classifier.targets import taken
from rowspace.learn.word2vec.kernels.simd import LANES
from rowspace.table import Table

__all__ = ["LOSSES", "Stopping", "Targets", "held_out_texts", "learn_rows", "loss_of"]

SHARE = 10  # one of this many texts is held out
TINY = 1e-9


class Stopping:
    """The best epoch so far, by the loss of held-out texts.

    Args:
        loss: Returns the present loss.
        net: What is learned.
        patience: How many epochs may pass without a smaller loss.
    """

    def __init__(self, loss: Callable[[], float], net: Net, patience: int) -> None:
        self._loss, self._net, self._patience = loss, net, patience
        self._least, self._since, self._best = np.inf, 0, net

    def is_over(self) -> bool:
        """Compare the epoch that has ended with the best one; whether to stop."""
        loss = self._loss()
        if loss < self._least:
            self._least, self._since = loss, 0
            self._best = Net(*(array.copy() for array in self._net))
        else:
            self._since += 1
        return self._since >= self._patience

    def restore(self) -> None:
        """Write the best epoch to what is learned."""
        for array, best in zip(self._net, self._best, strict=True):
            array[:] = best


def held_out_texts(number: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of texts to learn from, and of those that are held out."""
    order = np.random.default_rng((seed, number)).permutation(number)
    cut = max(1, number // SHARE)
    return np.sort(order[cut:]), np.sort(order[:cut])


def loss_of(probabilities: NDArray[np.float32], labels: Sequence[NDArray[np.int32]], *, adds_up: bool) -> float:
    """Return the mean log loss: of the labels that texts have, and of others too unless probabilities add up to 1."""
    total = 0.0
    for row, own in zip(probabilities, labels, strict=True):
        total -= float(np.log(np.maximum(row[own], TINY)).sum())
        if not adds_up:
            total -= float(np.log(np.maximum(1 - np.delete(row, own), TINY)).sum())
    return total / max(1, len(probabilities))


LOSSES = {"hierarchical": HIERARCHICAL, "negative": NEGATIVE, "softmax": SOFTMAX, "one-vs-all": ONE_VS_ALL}
TEXTS_AT_ONCE, MOST_TEXTS_AT_ONCE, ROWS_AT_ONCE = 512, 4096, 16_384
PIECES = 64  # at least as many for each thread, if there are enough texts
NEGATIVE_TABLE = 1 << 20

OnEpoch = Callable[[int, float], None]


class Targets(NamedTuple):
    """The labels of texts by number in CSR form, and what each text weighs."""

    indptr: NDArray[np.int64]  # (n + 1,)
    labels: NDArray[np.int32]
    weights: NDArray[np.float32]  # (n,)

    @classmethod
    def single(cls, labels: NDArray[np.int32], weights: NDArray[np.float32] | None = None) -> "Targets":
        """Return the targets of texts with one label each."""
        ones = np.ones(len(labels), np.float32) if weights is None else weights
        return cls(np.arange(len(labels) + 1), labels.astype(np.int32), ones)

    def take(self, places: NDArray[np.int64]) -> "Targets":
        """Return the targets of some texts."""
        return Targets(*taken(self.indptr, self.labels, places), self.weights[places])

    def counts(self, size: int) -> NDArray[np.int64]:
        """Return how many texts have each label."""
        return np.bincount(self.labels, minlength=size).astype(np.int64)


def learn_rows(
    texts: Sequence[str],
    targets: Targets,
    labels: Sequence[str],
    options: RowsOptions,
    *,
    init: Table | None = None,
    on_epoch: OnEpoch | None = None,
) -> SupervisedModel:
    """Learn rows of words and n-grams together with labels.

    Args:
        texts: n texts.
        targets: Their labels, as numbers.
        labels: The names of labels, which the model orders by falling count as fastText does.
        options: How to learn.
        init: Words of this table begin with its rows.
        on_epoch: Called after each epoch with its number, from 1, and its mean loss.

    Returns:
        The model.

    Raises:
        FitDiverged: The learning rate is too high.
    """
    order = np.argsort(-targets.counts(len(labels)), kind="stable")
    places = np.empty(len(labels), np.int32)
    places[order] = np.arange(len(labels))
    targets, tested = targets._replace(labels=places[targets.labels]), None
    if options.patience and len(texts) > 1:
        learned, held = held_out_texts(len(texts), options.seed)
        tested = [texts[place] for place in held.tolist()], targets.take(held)
        texts, targets = [texts[place] for place in learned.tolist()], targets.take(learned)
    data, starts = joined(texts)
    dictionary = count_dictionary(data, starts, min_count=options.min_count, threads=options.threads)
    rules = Rules(options.min_n, options.max_n, options.word_ngrams, options.buckets, dictionary.end)
    examples, buckets = _examples(data, starts, dictionary, rules, targets, options.threads)
    words = len(dictionary.counts)
    net = _start(words + len(buckets), len(labels), options)
    if init is not None:
        _copy_rows(init, dictionary, net)
    counts = targets.counts(len(labels))
    named, kept = [labels[place] for place in order], _kept(buckets, words)

    def model() -> SupervisedModel:
        outputs = np.ascontiguousarray(net.outputs[:, : options.dim])
        return SupervisedModel(dictionary, named, counts, net.inputs, outputs, kept, options)

    stopping = None if tested is None else Stopping(lambda: _loss(model(), *tested), net, options.patience)
    _learn_epochs(examples, net, _nodes(counts, options), options, on_epoch, stopping)
    return model()


def _examples(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    dictionary: Dictionary,
    rules: Rules,
    targets: Targets,
    threads: int,
) -> tuple[Examples, NDArray[np.int32]]:
    """Return what the kernel learns from, and the buckets that have rows."""
    words = len(dictionary.counts)
    features = features_of(data, starts, dictionary, rules, threads=threads)
    parts = Parts(np.zeros(1, np.int64), np.zeros(0, np.int32))
    if rules.max_n > 0:
        parts = parts_of(dictionary, rules, 0, words)
    buckets = compacted(features, parts, words, rules)
    return Examples(features.indptr, features.ids, parts.indptr, parts.ids, *targets), buckets


def _start(rows: int, labels: int, options: RowsOptions) -> Net:
    """Return rows drawn from -1/d to 1/d, and outputs of zeros."""
    inputs = np.empty((rows, options.dim), np.float32)

    def draw(begin: int, end: int) -> None:
        some = inputs[begin:end]
        np.random.default_rng((options.seed, begin)).random(dtype=np.float32, out=some)
        some -= np.float32(0.5)
        some *= np.float32(2 / options.dim)

    map_ranges(draw, split_range(rows, pieces=-(-rows // ROWS_AT_ONCE)), threads=options.threads)
    outputs = labels - 1 if options.loss == "hierarchical" else labels
    return Net(inputs, np.zeros((max(1, outputs), _width(options)), np.float32))


def _width(options: RowsOptions) -> int:
    """Return the columns of outputs, which kernels read in blocks."""
    return -(-options.dim // LANES) * LANES


def _copy_rows(table: Table, dictionary: Dictionary, net: Net) -> None:
    ids = {token.encode(errors="surrogatepass"): number for number, token in enumerate(table.vocabulary)}
    for word in range(len(dictionary.counts)):
        place = ids.get(dictionary.word(word))
        if place is not None:
            net.inputs[word] = table.rows[place]


def _nodes(counts: NDArray[np.int64], options: RowsOptions) -> Nodes:
    """Return the paths of a tree and the negatives; empty where the loss has none."""
    none = np.zeros(0, np.int32)
    indptr, nodes, sides = np.zeros(1, np.int64), none, np.zeros(0, np.bool_)
    if options.loss == "hierarchical":
        indptr, nodes, sides = build_tree(counts).paths()
    negatives = none
    if options.loss == "negative":
        shares = np.sqrt(counts) / np.sqrt(counts).sum()
        negatives = np.repeat(np.arange(len(counts), dtype=np.int32), np.ceil(shares * NEGATIVE_TABLE).astype(int))
    return Nodes(indptr, nodes, sides, negatives, options.negatives)


def _learn_epochs(
    examples: Examples,
    net: Net,
    nodes: Nodes,
    options: RowsOptions,
    on_epoch: OnEpoch | None,
    stopping: Stopping | None,
) -> None:
    visits, examples = _visits(examples)
    number, loss = len(visits), LOSSES[options.loss]
    size = min(max(TEXTS_AT_ONCE, number // (PIECES * options.threads)), MOST_TEXTS_AT_ONCE)
    ranges = split_range(number, pieces=-(-number // size))
    for epoch in range(options.epochs):
        order = np.random.default_rng((options.seed, epoch)).permutation(visits)

        def work(begin: int, end: int, epoch: int = epoch, order: NDArray[np.int64] = order) -> float:
            done = [(epoch + place / number) / options.epochs for place in (begin, end)]
            rates = np.array([options.lr * (1 - share) for share in done], np.float32)
            scratch = _scratch(options, len(net.outputs), epoch, begin)
            return float(learn(examples, order[begin:end], loss, rates, net, nodes, scratch))

        total = sum(map_ranges(work, ranges, threads=options.threads))
        if not np.isfinite(total) or not np.isfinite(net.outputs).all():
            raise FitDiverged(f"the learning rate lr={options.lr:g} is too high for these texts; give a smaller one")
        if on_epoch:
            on_epoch(epoch + 1, total / max(1, number))
        if stopping and stopping.is_over():
            break
    if stopping:
        stopping.restore()


def _visits(examples: Examples) -> tuple[NDArray[np.int64], Examples]:
    """Return the texts of an epoch, and what they weigh in each visit.

    A text that weighs more than 1.5 is visited several times, since a single step of its weight may diverge.
    """
    visits = np.maximum(1, np.rint(examples.weights)).astype(np.int64)
    weights = (examples.weights / visits).astype(np.float32)
    return np.repeat(np.arange(len(visits)), visits), examples._replace(weights=weights)


def _loss(model: SupervisedModel, texts: Sequence[str], targets: Targets) -> float:
    own = [targets.labels[begin:end] for begin, end in pairwise(targets.indptr.tolist())]
    adds_up = model.options.loss in ("softmax", "hierarchical")
    return loss_of(model.predict_proba(texts), own, adds_up=adds_up)


def _scratch(options: RowsOptions, labels: int, epoch: int, begin: int) -> Scratch:
    seed = np.random.SeedSequence((options.seed, epoch, begin)).generate_state(1, np.uint64) | np.uint64(1)
    width = _width(options)
    hidden, gradient = np.zeros((2, AT_ONCE, width), np.float32)
    own = labels if options.threads > 1 and options.loss in ("softmax", "one-vs-all") else 0
    outputs, merged = np.zeros((2, own, width), np.float32)
    scores, greatest = np.zeros((AT_ONCE, labels), np.float32), np.zeros(AT_ONCE, np.float32)
    return Scratch(hidden, gradient, scores, greatest, np.zeros(AT_ONCE, np.int64), seed, outputs, merged)


def _kept(buckets: NDArray[np.int32], words: int) -> Buckets:
    """Return the rows of the buckets that the texts use; others count as zeros."""
    return some_buckets(buckets, np.arange(words, words + len(buckets), dtype=np.int32), words, NO_ROW)
