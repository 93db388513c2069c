"""`rowspace.fit` end to end on real English: reproducible, resumable, and the rows are meaningful."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest

import rowspace as rs
from rowspace.errors import CorpusError, CorpusWarning, FitInterrupted, UnseenTokenWarning, UsageError
from rowspace.learn import Reports, run_folder_of

SMALL = {"dim": 20, "epochs": 2, "workers": 1}


@pytest.fixture(scope="module")
def table(english):
    return rs.fit(english, **SMALL)


def test_fit_with_one_worker_is_reproducible(english, table):
    again = rs.fit(english, **SMALL)
    np.testing.assert_array_equal(again.rows, table.rows)
    assert again.vocabulary == table.vocabulary
    assert again.settings["losses"] == table.settings["losses"]


def test_seed_changes_the_rows(english, table):
    assert not np.array_equal(rs.fit(english, **SMALL, seed=2).rows, table.rows)


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_words_in_similar_contexts_become_neighbors(model):
    rng = np.random.default_rng(0)
    animals, tools = ["cat", "dog", "cow"], ["saw", "axe", "pen"]
    texts = []
    for _ in range(3000):
        kind, verbs = (
            (animals, ["eats", "sleeps", "runs"]) if rng.random() < 0.5 else (tools, ["cuts", "breaks", "rusts"])
        )
        texts.append(f"the {rng.choice(kind)} {rng.choice(verbs)} here and the {rng.choice(kind)} {rng.choice(verbs)}")
    table = rs.fit(texts, model=model, dim=16, epochs=5, workers=2, sample=0, window=2)
    assert {word for word, _ in table.neighbors("cat", k=2)} == {"dog", "cow"}
    assert table.odd_one_out(["cat", "dog", "axe", "cow"]) == "axe"


def test_loss_decreases_and_is_a_mean_over_pairs(english):
    losses = rs.fit(english, dim=20, epochs=4).settings["losses"]
    assert losses == sorted(losses, reverse=True)
    # With zero rows every score is 0, so a pair and its five negatives cost 6 ln 2.
    assert 1 < losses[-1] < losses[0] < 6 * np.log(2)


def test_settings_record_the_options(english, table):
    settings = table.settings
    assert settings["dim"] == 20
    assert settings["repeatable"] is True
    assert settings["words"] >= int(table.counts.sum())
    assert rs.fit(english, dim=4, epochs=1, workers=2).settings["repeatable"] is False
    json.dumps(settings)


def test_token_lists_keep_their_tokens():
    table = rs.fit([["New York", "Is", "big"], ["New York", "is", "old"]] * 20, dim=4, epochs=1, min_count=1)
    assert set(table) == {"New York", "Is", "is", "big", "old"}


@pytest.mark.long
def test_default_corpus_is_the_standard_library():
    table = rs.fit(dim=16, epochs=3)
    assert {"typeerror", "valueerror", "sin", "cos"} <= set(table)
    assert "cos" in dict(table.neighbors("sin", k=10))


def test_callbacks_receive_bytes_vocabulary_progress_and_the_table_of_each_epoch(english):
    seen = {"bytes": [], "vocabulary": [], "progress": [], "epoch": []}
    reports = Reports(
        on_bytes=seen["bytes"].append,
        on_vocabulary=seen["vocabulary"].append,
        on_progress=seen["progress"].append,
        on_epoch=lambda *what: seen["epoch"].append(what),
    )
    table = rs.fit(english, **SMALL, reports=reports)
    assert sum(seen["bytes"]) == english.stat().st_size
    assert seen["vocabulary"][0].vocabulary == table.vocabulary
    last = seen["progress"][-1]
    assert last.words == last.total_words == 2 * table.settings["words"]
    assert last.alpha == pytest.approx(table.settings["min_alpha"])
    assert [(epoch, loss) for epoch, _, loss in seen["epoch"]] == list(enumerate(table.settings["losses"], 1))
    np.testing.assert_array_equal(seen["epoch"][-1][1].rows, table.rows)
    assert not np.array_equal(seen["epoch"][0][1].rows, table.rows)


def test_output_is_saved_and_the_run_folder_removed(english, tmp_path, table):
    rs.fit(english, **SMALL, output=tmp_path / "made")
    np.testing.assert_array_equal(rs.load(tmp_path / "made").rows, table.rows)
    assert [entry.name for entry in tmp_path.iterdir()] == ["made"]


def interrupt_fit(english, output, number, **options):
    """Stop a fit with a signal after some progress and return the message of FitInterrupted."""
    sent = []

    def stop(progress):
        if 0 < progress.words < progress.total_words and not sent:
            sent.append(progress)  # only once: a second signal aborts the fit immediately
            signal.raise_signal(number)

    with pytest.raises(FitInterrupted) as caught:
        rs.fit(english, output=output, reports=Reports(on_progress=stop), **options)
    return str(caught.value)


@pytest.mark.parametrize("more", [{}, {"subwords": True, "model": "cbow"}], ids=["words", "n-grams"])
def test_resumed_fit_equals_an_uninterrupted_one_bit_for_bit(english, tmp_path, more):
    options = {"dim": 40, "workers": 1, "epochs": 6} | more
    expected = rs.fit(english, **options)
    for number in (signal.SIGINT, signal.SIGTERM):
        output = tmp_path / f"stopped by {number.name}"
        message = interrupt_fit(english, output, number, **options)
        assert message.endswith(f"continue with rowspace fit --resume -o '{output}'")
        assert not np.array_equal(rs.load(output).rows, expected.rows)
        resumed = rs.fit(output=output, resume=True)
        np.testing.assert_array_equal(resumed.rows, expected.rows)
        np.testing.assert_array_equal(rs.load(output).rows, expected.rows)
        if more:
            np.testing.assert_array_equal(resumed.subwords.rows, expected.subwords.rows)
        assert resumed.settings["losses"] == expected.settings["losses"]
        assert not run_folder_of(output).exists()


def test_ngrams_are_trained_with_the_words_and_saved(english, tmp_path):
    learned = rs.fit(english, output=tmp_path / "t", **SMALL, subwords=True, buckets=5000, max_n=4)
    with pytest.warns(UnseenTokenWarning, match="'lernable' is not in the vocabulary"):
        row = learned["lernable"]
    with pytest.warns(UnseenTokenWarning):
        np.testing.assert_array_equal(rs.load(tmp_path / "t")["lernable"], row)
    assert 0 < len(learned.subwords.rows) < 5000
    assert learned.settings["subwords"] is True


@pytest.fixture
def interrupted(english, tmp_path, stopping):
    """The output path of a fit interrupted in its first epoch."""
    with pytest.raises(FitInterrupted):
        rs.fit(english, output=tmp_path / "table", dim=8, epochs=6, workers=1, reports=stopping)
    return tmp_path / "table"


def test_signal_handlers_are_restored_after_a_fit(interrupted):
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_resume_refuses_other_options_except_workers(interrupted):
    with pytest.raises(UsageError, match="has dim=8, not 9"):
        rs.fit(output=interrupted, resume=True, dim=9)
    assert rs.fit(output=interrupted, resume=True, dim=8, workers=2).settings["workers"] == 2


def test_new_fit_replaces_an_interrupted_one(interrupted):
    rs.fit(["a b c"] * 9, output=interrupted, dim=4, epochs=1, sample=0)
    assert len(rs.load(interrupted)) == 3
    assert not run_folder_of(interrupted).exists()


PRINT_EPOCHS = """
import sys
import rowspace as rs
from rowspace.learn import Reports
reports = Reports(on_progress=lambda progress: print(progress.epoch, flush=True))
rs.fit(sys.argv[1], output=sys.argv[2], dim=40, epochs=1000, workers=1, reports=reports)
"""


def test_killed_fit_resumes_from_the_last_finished_epoch(english, tmp_path):
    """SIGKILL cannot be handled, but the state of the last finished epoch is on disk."""
    output = tmp_path / "table"
    with subprocess.Popen(
        [sys.executable, "-c", PRINT_EPOCHS, english, output], stdout=subprocess.PIPE, text=True
    ) as process:
        assert "2\n" in iter(process.stdout.readline, "")
        process.kill()
    assert (run_folder_of(output) / "epoch.safetensors").exists()
    seen = []

    def stop(progress):
        if not seen:
            signal.raise_signal(signal.SIGTERM)
        seen.append(progress.epoch)

    with pytest.raises(FitInterrupted):
        rs.fit(output=output, resume=True, reports=Reports(on_progress=stop))
    assert seen[0] >= 2


def test_folder_with_other_files_is_not_replaced(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="home"):
        rs.fit(["a b"] * 9, output=tmp_path / "home")
    (tmp_path / "made.fit").mkdir()
    (tmp_path / "made.fit" / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match=r"made\.fit.*letter\.txt"):
        rs.fit(["a b"] * 9, output=tmp_path / "made")
    assert (tmp_path / "made.fit" / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dimm": 4}, "no option 'dimm'; did you mean dim?"),
        ({"dim": 0}, "dim must be"),
        ({"subwords": True, "tokens": "bpe"}, "subwords are n-grams of words, but tokens is .bpe.; omit one"),
        ({"resume": True}, "resume needs the output"),
        ({"resume": True, "output": "nothing"}, "no interrupted fit"),
    ],
)
def test_invalid_call_is_refused_and_leaves_no_files(options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        rs.fit(["a b"] * 9, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        (["word"] * 50, {}, "only one distinct token, 'word'"),
        (["some words in a line"] * 50, {"sample": 1e-300}, "sample=1e-300 drops all words"),
        (["cat", "dog"] * 200, {"sample": 0}, "no sentence of the text has two words"),
    ],
)
def test_text_without_training_pairs_is_refused_and_leaves_no_files(texts, options, message, tmp_path):
    with pytest.raises(CorpusError, match=message):
        rs.fit(texts, output=tmp_path / "table", dim=4, epochs=2, **options)
    assert not list(tmp_path.iterdir())


def test_a_fit_that_learns_nothing_from_a_short_text_warns():
    texts = ["the cat sat", "a dog ran"]
    with pytest.warns(CorpusWarning, match=r"nothing was learned, and the rows are random: .* sample=1e-05"):
        rs.fit(texts, dim=4, epochs=1, min_count=1, sample=1e-5)
    assert any(rs.fit(texts, dim=4, epochs=1, min_count=1, sample=0).settings["losses"])


def test_unreadable_corpus_leaves_no_files(tmp_path):
    with pytest.raises(UsageError):
        rs.fit(tmp_path / "missing.txt", output=tmp_path / "table")
    assert not list(tmp_path.iterdir())


def test_error_raised_by_a_callback_propagates(english):
    def fail(_progress):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rs.fit(english, **SMALL, reports=Reports(on_progress=fail))
