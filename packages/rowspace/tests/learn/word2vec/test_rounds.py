"""A deterministic fit: the same rows for any number of threads, and after an interruption."""

import numpy as np
import pytest
from numba.core.errors import TypingError

import rowspace as rs
from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import Trainer
from rowspace.text import IdCorpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Two chunks of sentences of frequent and rare words: several rounds of eight parts."""
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("corpus") / "ids.bin"
    ids = np.minimum(rng.zipf(1.3, 40_000) - 1, 299).astype("<i4")
    ids[::15] = -1
    ids.tofile(path)
    words = [f"{'aeiou'[i % 5]}word{i}" for i in range(300)]
    counts = np.maximum(1, np.bincount(ids[ids >= 0], minlength=300))
    return IdCorpus(path, len(ids), words, counts, int((ids >= 0).sum()), 0, "{}")


def learn(corpus, *, pauses=False, **options):
    trainer = Trainer(corpus, FitState.start(corpus, FitOptions(dim=16, epochs=2, deterministic=True, **options), {}))
    while trainer.state.epoch < 2:
        trainer.run_epoch(lambda _: pauses)
    weights, ngrams = trainer.state.weights, trainer.state.weights.ngrams
    arrays = weights.inputs[:300], weights.outputs[:300], ngrams.rows[: len(ngrams.buckets)]
    return trainer.state.losses, [np.array(array) for array in arrays]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"model": "cbow"},
        *(
            pytest.param(each, marks=pytest.mark.long)
            for each in ({"subwords": True, "buckets": 500}, {"negatives": 40, "sample": 0})
        ),
    ],
)
def test_rows_and_losses_do_not_depend_on_the_number_of_workers(corpus, options):
    losses, arrays = learn(corpus, workers=1, **options)
    assert losses[1] < losses[0]
    for workers in (2, 3, 9):
        others = learn(corpus, workers=workers, **options)
        assert others[0] == losses
        for array, other in zip(arrays, others[1], strict=True):
            np.testing.assert_array_equal(array, other)


def test_pauses_between_chunks_change_nothing(corpus):
    losses, arrays = learn(corpus, workers=2)
    paused_losses, paused = learn(corpus, workers=3, pauses=True)
    assert paused_losses == pytest.approx(losses, rel=1e-12)
    for array, other in zip(arrays, paused, strict=True):
        np.testing.assert_array_equal(array, other)


@pytest.mark.long  # it compiles all kernels of rounds again, for frozen rows
def test_frozen_rows_stay_and_the_others_do_not_depend_on_workers():
    old = rs.fit(
        ["the cat sat on the mat", "the dog sat on the mat"] * 200, dim=16, epochs=1, subwords=True, buckets=90
    )
    text = ["the zebra sat on the grass", "a dog and a zebra"] * 400
    first, second = (
        rs.fit(text, init=old, freeze="old", deterministic=True, workers=workers, min_count=1) for workers in (1, 3)
    )
    np.testing.assert_array_equal(first.rows[: len(old)], old.rows)
    np.testing.assert_array_equal(first.rows, second.rows)
    assert np.any(first["zebra"] != old.subwords.row("zebra"))
    assert first.settings["repeatable"]


def test_graph_does_not_depend_on_workers():
    edges = [(f"{i}", f"{(i * i + 1) % 61}") for i in range(61)] + [(f"{i}", f"{i + 1}") for i in range(60)]
    first, second = (rs.fit_graph(edges, dim=16, deterministic=True, workers=workers, q=2) for workers in (1, 3))
    np.testing.assert_array_equal(first.rows, second.rows)


def test_error_of_one_thread_ends_all(corpus):
    trainer = Trainer(corpus, FitState.start(corpus, FitOptions(dim=16, workers=3, deterministic=True), {}))
    trainer.sampler = trainer.sampler._replace(keep=None)
    with pytest.raises((TypeError, TypingError)):
        trainer.run_epoch(lambda _: False)
