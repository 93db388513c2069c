"""Rows learned with labels: steps equal those of NumPy, early stopping, first rows, and a rate that is too high."""

import numpy as np
import pytest

from rowspace.errors import FitDiverged
from rowspace.learn.classifier.options import ClassifierOptions, RowsOptions
from rowspace.learn.classifier.rows.dictionary import FIRST_WORDS, count_dictionary, joined
from rowspace.learn.classifier.rows.kernels.train import AT_ONCE, MERGE_EVERY, MOST_RATE, Scratch, merge
from rowspace.learn.classifier.rows.learning import TEXTS_AT_ONCE, Targets, learn_rows
from rowspace.table import Table

WORDS = ["a", "b", "c"]
TEXTS = ["a b", "b c c", "c", "a a b"] * 5
LABELS = np.array([0, 1, 2, 0] * 5)


def softmax_errors(scores, labels):
    shares = np.exp(scores)
    return np.eye(3)[labels] - shares / shares.sum(1, keepdims=True)


def binary_errors(scores, labels):
    return np.eye(3)[labels] - 1 / (1 + np.exp(-scores))


@pytest.mark.parametrize("lr", [0.3, 0.5])
@pytest.mark.parametrize(("loss", "errors_of"), [("softmax", softmax_errors), ("one-vs-all", binary_errors)])
def test_steps_of_some_texts_at_once_equal_numpy(loss, errors_of, lr):
    """There are 22 texts, so that two are left over, and the last one has no label; the rate falls to 0.33 at last."""
    texts, labels, has_label = [*TEXTS, "a", "b"], np.array([*LABELS, 1, 0]), np.arange(22) < 21
    options = RowsOptions(dim=4, epochs=3, lr=lr, word_ngrams=1, min_n=0, max_n=0, workers=1, loss=loss)
    weights = np.linspace(0.5, 1.4, 22, dtype=np.float32)
    targets = Targets(np.cumsum([0, *has_label]), labels[has_label].astype(np.int32), weights)
    model = learn_rows(texts, targets, ["x", "y", "z"], options)
    first = learn_rows(texts, targets, ["x", "y", "z"], RowsOptions(**(vars(options) | {"lr": 0.0})))
    inputs, outputs = first.inputs.astype(float), np.zeros((3, 4))
    ids = {first.dictionary.word(number).decode(): number for number in range(4)}
    places = np.array([model.labels.index("xyz"[label]) for label in labels])
    for epoch in range(3):
        order = np.random.default_rng((1, epoch)).permutation(22)
        size = AT_ONCE if lr * (1 - epoch / 3) <= MOST_RATE else 1
        for begin in range(0, 22, size):
            some = order[begin : begin + size]
            features = [[ids[word] for word in [*texts[text].split(), "</s>"]] for text in some]
            hidden = np.array([inputs[each].mean(0) for each in features])
            rates = lr * (1 - (epoch + begin / 22) / 3) * weights[some] * has_label[some]
            steps = rates[:, np.newaxis] * errors_of(hidden @ outputs.T, places[some])
            gradients = steps @ outputs
            outputs += steps.T @ hidden
            for each, gradient in zip(features, gradients, strict=True):
                np.add.at(inputs, each, gradient / len(each))
    np.testing.assert_allclose(model.inputs, inputs, atol=1e-5)
    np.testing.assert_allclose(model.outputs, outputs, atol=1e-5)


@pytest.mark.parametrize("loss", ["softmax", "one-vs-all"])
def test_outputs_of_a_thread_are_merged_into_those_of_all(loss):
    """The texts are few enough for one of the two threads, so that the result is that of one worker."""
    options = {"dim": 4, "epochs": 3, "lr": 0.5, "word_ngrams": 1, "min_n": 0, "max_n": 0, "loss": loss}
    texts, labels = TEXTS * 4, Targets.single(np.tile(LABELS, 4))
    assert MERGE_EVERY < len(texts) < TEXTS_AT_ONCE
    one, two = (learn_rows(texts, labels, ["x", "y", "z"], RowsOptions(**options, workers=n)) for n in (1, 2))
    np.testing.assert_allclose(two.outputs, one.outputs, atol=1e-5)
    np.testing.assert_allclose(two.inputs, one.inputs, atol=1e-5)


def test_changes_of_two_threads_add_up():
    shared = np.full((3, 2), 5.0, np.float32)
    none = np.zeros((1, 0), np.float32)
    numbers = np.zeros(1, np.int64), np.ones(1, np.uint64)
    first, second = (Scratch(none, none, none, none[0], *numbers, *np.zeros((2, 3, 2), np.float32)) for _ in range(2))
    merge(shared, first)
    merge(shared, second)
    first.outputs[0] += 1
    second.outputs[:2] += 2
    merge(shared, first)
    merge(shared, second)
    assert shared.tolist() == [[8, 8], [7, 7], [5, 5]]
    assert second.outputs.tolist() == second.merged.tolist() == shared.tolist()


def test_probabilities_of_a_tree_add_up():
    options = RowsOptions(dim=4, epochs=5, loss="hierarchical", workers=1, max_n=0, min_n=0)
    numbers = np.random.default_rng(0).integers(0, 9, 60)
    model = learn_rows([f"w{n}" for n in numbers], Targets.single(numbers), list("abcdefghi"), options)
    np.testing.assert_allclose(model.predict_proba(TEXTS).sum(1), 1, atol=1e-5)


def test_early_stopping_keeps_the_best_epoch():
    losses = []
    generator = np.random.default_rng(0)
    texts = [" ".join(generator.choice(list("abcdefgh"), 5)) for _ in range(100)]
    labels = Targets.single(generator.integers(0, 2, 100))  # there is nothing to learn, so later epochs are worse
    options = RowsOptions(dim=5, epochs=200, lr=2.0, patience=3, workers=1)
    learn_rows(texts, labels, ["x", "y"], options, on_epoch=lambda epoch, loss: losses.append(loss))
    assert 3 < len(losses) < 200


def test_words_begin_with_the_rows_of_a_table():
    table = Table(["b", "z"], np.array([[5.0, 6.0], [7.0, 8.0]], np.float32))
    options = RowsOptions(dim=2, epochs=1, lr=0.0, workers=1)
    model = learn_rows(TEXTS, Targets.single(LABELS), ["x", "y", "z"], options, init=table)
    ids = {model.dictionary.word(number).decode(): number for number in range(4)}
    assert model.inputs[ids["b"]].tolist() == [5, 6]
    assert abs(model.inputs[ids["a"]]).max() <= 0.5


def test_the_default_rate_does_not_diverge_on_short_noisy_texts():
    """It did if four of them were learned at once."""
    generator = np.random.default_rng(0)
    words = generator.choice(["yes", "no"], 2000)
    labels = np.where(generator.random(2000) < 0.1, 0, words == "yes")
    model = learn_rows(words.tolist(), Targets.single(labels), ["no", "yes"], ClassifierOptions(workers=1))
    assert ((model.predict_proba(words.tolist()).argmax(1) == model.labels.index("yes")) == (words == "yes")).all()


def test_a_rate_that_is_too_high_is_an_error():
    options = RowsOptions(dim=4, epochs=50, lr=100.0, workers=1)
    with pytest.raises(FitDiverged, match="lr=100 is too high"):
        learn_rows(TEXTS, Targets.single(LABELS), ["x", "y", "z"], options)


def test_many_words_fit_in_the_dictionary():
    words = [f"w{number}" for number in range(70_000)]
    options = RowsOptions(dim=1, epochs=1, min_count=2, word_ngrams=1, max_n=0, min_n=0)
    model = learn_rows([" ".join(words), "w1 w69999"], Targets.single(np.array([0, 1])), ["x", "y"], options)
    known = [model.dictionary.word(number).decode() for number in range(len(model.dictionary.counts))]
    assert sorted(known) == ["</s>", "w1", "w69999"]


def test_words_are_counted_by_threads_as_by_one():
    """Ids of equally frequent words follow their first use, in whichever part of the texts that is."""
    generator = np.random.default_rng(0)
    texts = [f"w{number} w{rare}" for number, rare in generator.integers(0, [100, 90_000], (200_000, 2))]
    data, starts = joined([*texts, "last </s> left out"])
    one, two = (count_dictionary(data, starts, min_count=1, threads=threads, least=99) for threads in (1, 3))
    assert len(one.counts) > FIRST_WORDS
    assert one.word(len(one.counts) - 1) == b"last"
    for given, wanted in zip(two.lookup, one.lookup, strict=True):
        np.testing.assert_array_equal(given, wanted)
    np.testing.assert_array_equal(two.counts, one.counts)
