"""A fit that diverges raises an error, keeps its last good table, and leaves no state to resume."""

import numpy as np
import pytest

import rowspace as rs
from rowspace.errors import FitDiverged, UsageError
from rowspace.learn import Reports, run_folder_of
from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import make_plan, make_scratch, make_weights
from rowspace.learn.word2vec.divergence import untrained_loss
from rowspace.learn.word2vec.kernels import learn_chunk
from rowspace.learn.word2vec.sampling import make_sampler
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import Trainer
from rowspace.text import TextOptions, encode_corpus

SMALL = {"dim": 16, "epochs": 2, "workers": 1}


@pytest.fixture(scope="module")
def text(english):
    """One long line, so that windows are not clipped by sentences."""
    return english.read_text()[:100_000].replace("\n", " ")


@pytest.fixture(scope="module")
def noise():
    """Random words in long lines: CBOW with sums trains in the first epoch and diverges in the second."""
    words = np.random.default_rng(0).integers(0, 1000, 200_000).astype(str)
    return [" ".join(words[start : start + 1000]) for start in range(0, len(words), 1000)]


DIVERGING = {"model": "cbow", "cbow_mean": False, "alpha": 0.1, "sample": 0, "epochs": 3, "workers": 1}


def test_default_rates_are_lowered_so_that_strong_windows_converge(text):
    lowered = []
    reports = Reports(on_lowered_rate=lambda *rates: lowered.append(rates))
    strong = [
        {"tokens": "bytes", "window": 50},
        {"model": "cbow", "cbow_mean": False, "window": 50},
        {"shrink_windows": False, "window": 100},
        {"subwords": True, "buckets": 1, "dim": 4},
        {"subwords": True, "buckets": 1, "model": "cbow", "window": 20},
        {"tokens": "bytes", "window": 60, "model": "cbow", "cbow_mean": False, "sample": 0},
        {"tokens": "bytes", "window": 150, "model": "cbow", "cbow_gradient": "word2vec", "sample": 0},
    ]
    for options in strong:
        settings = rs.fit([text], reports=reports, **SMALL | options).settings
        assert settings["losses"] == sorted(settings["losses"], reverse=True), options
        assert settings["alpha"] == lowered[-1][0] < lowered[-1][1], options
    assert len(lowered) == len(strong)


def test_the_mean_loss_of_few_pairs_may_exceed_that_of_an_untrained_table():
    texts = ["i live in new york city now", "new york city is big", "a york a new thing"] * 30
    # With seed 1 the negatives of the few pairs differ more than is expected.
    losses = rs.fit(texts, phrases=3, phrase_threshold=2, dim=8, epochs=1, workers=1, alpha=1e-6).settings["losses"]
    assert losses[0] > 3.63


def test_default_rate_equals_the_same_rate_given_explicitly(text):
    for options in ({}, {"model": "cbow"}, {"subwords": True}, {"tokens": "bpe", "vocabulary_size": 500}):
        rate = 0.1 if options.get("model") == "cbow" else 0.035
        default, given = (rs.fit([text], **SMALL, **options, **rates) for rates in ({}, {"alpha": rate}))
        np.testing.assert_array_equal(default.rows, given.rows, str(options))


@pytest.mark.parametrize("alpha", [0.5, 10.0])
@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_excessive_rate_raises_an_error_and_leaves_no_files(text, tmp_path, model, alpha):
    options = {"model": model, "cbow_mean": False, "window": 50, "alpha": alpha}
    with pytest.raises(
        FitDiverged, match=rf"diverged in epoch 1 of 2: .*alpha={alpha:g} is too high.*nothing is saved"
    ):
        rs.fit([text], output=tmp_path / "table", **SMALL, **options)
    assert not list(tmp_path.iterdir())
    with pytest.raises(FitDiverged, match="a smaller window"):
        rs.fit([text], **SMALL, **options)


def test_table_of_the_last_good_epoch_is_kept(noise, tmp_path):
    tables = []
    reports = Reports(on_epoch=lambda _epoch, table, _loss: tables.append(table))
    with pytest.raises(FitDiverged, match=r"diverged in epoch 2 of 3: .*the table of epoch 1 is saved in '.*table'"):
        rs.fit(noise, output=tmp_path / "table", reports=reports, **DIVERGING)
    kept = rs.load(tmp_path / "table")
    np.testing.assert_array_equal(kept.rows, tables[0].rows)
    assert kept.settings["losses"] == tables[0].settings["losses"]
    assert len(tables) == 1
    assert not run_folder_of(tmp_path / "table").exists()
    with pytest.raises(UsageError, match="no interrupted fit"):
        rs.fit(output=tmp_path / "table", resume=True)


def test_overflowed_row_is_detected_at_the_end_of_an_epoch_and_before_saving(text, tmp_path):
    corpus = encode_corpus([text], tmp_path, options=TextOptions())
    state = FitState.start(corpus, FitOptions(**SMALL), {})
    trainer = Trainer(corpus, state)
    trainer.run_epoch(lambda _: False)
    trainer.watch.before_saving()
    state.weights.inputs[len(corpus.vocabulary) - 1, 2] = np.inf
    for check in (trainer.watch.before_saving, lambda: trainer.watch.end_of_epoch(1e6)):
        with pytest.raises(FitDiverged, match="no longer finite"):
            check()


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
@pytest.mark.parametrize("negatives", [1, 5, 40])
def test_untrained_loss_equals_the_loss_of_the_kernels(model, negatives):
    options = FitOptions(dim=4, model=model, negatives=negatives, workers=1, alpha=0.0)
    counts = np.full(1000, 5)
    weights, scratch = make_weights(1000, options), make_scratch(1000, options)
    sampler = make_sampler(counts, sample=0, ns_exponent=options.ns_exponent)
    ids = np.random.default_rng(0).permutation(np.repeat(np.arange(1000, dtype=np.int32), counts))
    learn_chunk(ids, weights, sampler, make_plan(options, 0.0, 0.0), scratch)
    pairs, loss = scratch.tally
    assert 0.95 * untrained_loss(counts, options) < loss / pairs <= untrained_loss(counts, options)
