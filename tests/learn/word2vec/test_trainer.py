"""Epochs and chunks: each id is learned once per epoch, in random order, at a decreasing rate."""

import numpy as np
import pytest

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import CHUNK, Trainer
from rowspace.text import IdCorpus


@pytest.fixture
def corpus(tmp_path):
    """Ids of three words, slightly more than four long chunks."""
    ids = np.random.default_rng(0).integers(0, 3, 4 * CHUNK + 5).astype("<i4")
    ids.tofile(tmp_path / "ids.bin")
    return IdCorpus(tmp_path / "ids.bin", len(ids), ["a", "b", "c"], np.bincount(ids), len(ids), 0, "{}")


@pytest.mark.parametrize("workers", [1, 3])
def test_each_pair_is_learned_once_per_epoch(corpus, workers):
    options = FitOptions(dim=4, sample=0, window=1, workers=workers, epochs=2)
    trainer = Trainer(corpus, FitState.start(corpus, options, {}))
    pairs = []
    while trainer.state.epoch < 2:
        trainer.run_epoch(lambda _: pairs.append(trainer.state.pairs) or False)
    # No sentence ends, but each chunk and each full scratch divides one: all other words have two neighbors.
    assert 2 * corpus.size * 0.999 < max(pairs) < 2 * corpus.size


def test_pause_stops_between_chunks_and_resumes_there(corpus):
    trainer = Trainer(corpus, FitState.start(corpus, FitOptions(dim=4, workers=1, epochs=1), {}))
    assert trainer.run_epoch(lambda _: True) is False or trainer.state.epoch == 1
    while trainer.state.epoch < 1:
        trainer.run_epoch(lambda _: False)
    assert trainer.progress.words == corpus.size


def test_learning_rate_decays_linearly_over_all_epochs(corpus):
    options = FitOptions(dim=4, epochs=3, alpha=0.1, min_alpha=0.04)
    trainer = Trainer(corpus, FitState.start(corpus, options, {}))
    rates = []
    for epoch in range(3):
        for chunk in (0, trainer.num_chunks // 2):
            trainer.state.epoch, trainer.state.chunk = epoch, chunk
            rates.append(trainer.progress.alpha)
    np.testing.assert_allclose(rates[::2], [0.1, 0.08, 0.06])
    assert rates == sorted(rates, reverse=True)
    trainer.state.epoch, trainer.state.chunk = 3, 0
    assert trainer.progress.alpha == pytest.approx(0.04)
