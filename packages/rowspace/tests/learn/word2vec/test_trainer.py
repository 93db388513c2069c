"""Epochs and chunks: every id is trained once per epoch, at a decreasing learning rate."""

import numpy as np
import pytest

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import Trainer
from rowspace.text import IdCorpus

IDS = 131_077  # slightly more than four chunks


@pytest.fixture
def corpus(tmp_path):
    """Ids of three words without sentence ends."""
    ids = np.random.default_rng(0).integers(0, 3, IDS).astype("<i4")
    ids.tofile(tmp_path / "ids.bin")
    return IdCorpus(tmp_path / "ids.bin", len(ids), ["a", "b", "c"], np.bincount(ids), len(ids), 0, "{}")


@pytest.mark.parametrize("workers", [1, 3])
def test_each_pair_is_trained_once_per_epoch(corpus, workers):
    options = FitOptions(dim=4, sample=0, window=1, workers=workers, epochs=2)
    trainer = Trainer(corpus, FitState.start(corpus, options, {}))
    pairs = []
    while trainer.state.epoch < 2:
        trainer.run_epoch(lambda _: pairs.append(trainer.state.pairs) or False)
    # Sentences end only at the ends of chunks and full scratches; all other words have two neighbors.
    assert 2 * corpus.size * 0.999 < max(pairs) < 2 * corpus.size


def test_paused_epoch_resumes_at_the_next_chunk(corpus):
    trainer = Trainer(corpus, FitState.start(corpus, FitOptions(dim=4, workers=1, epochs=1), {}))
    assert trainer.run_epoch(lambda _: True) is False or trainer.state.epoch == 1
    while trainer.state.epoch < 1:
        trainer.run_epoch(lambda _: False)
    assert trainer.progress.words == corpus.size


def test_learning_rate_decreases_linearly_over_all_epochs(corpus):
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
