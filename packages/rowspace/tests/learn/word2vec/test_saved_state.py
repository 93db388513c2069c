"""Resuming a saved fit gives the same table bit for bit; a changed or damaged state is refused."""

import shutil

import numpy as np
import pytest

import rowspace as rs
from rowspace.errors import FileFormatError, FitInterrupted
from rowspace.learn import run_folder_of
from rowspace.learn.options import FitOptions
from rowspace.learn.run_folder import EPOCH_NAME, STATE_NAME
from rowspace.learn.word2vec.saved_state import corpus_checksums, load_epoch, load_state, save_state
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import Trainer
from rowspace.text import TextOptions, encode_corpus

OPTIONS = {"dim": 8, "epochs": 3, "workers": 1, "subwords": True, "buckets": 200, "sample": 0.01}


@pytest.fixture(scope="module")
def text(english):
    return english.read_text()[:60_000]


@pytest.fixture(scope="module")
def uninterrupted(text):
    """The table of an uninterrupted fit."""
    return rs.fit([text], **OPTIONS)


@pytest.fixture
def output(text, tmp_path, stopping):
    """The output path of an interrupted fit."""
    with pytest.raises(FitInterrupted):
        rs.fit([text], output=tmp_path / "table", reports=stopping, **OPTIONS)
    return tmp_path / "table"


def saved_trainer(folder, text, **options):
    """Return a trainer with its corpus saved in `folder`."""
    folder.mkdir()
    corpus = encode_corpus([text], folder, options=TextOptions())
    corpus.save()
    state = FitState.start(corpus, FitOptions(**OPTIONS | options), {})
    state.files = corpus_checksums(folder)
    return Trainer(corpus, state)


def damaged(rng, content):
    """Flip a bit, overwrite a block with zeros or noise, truncate, or remove a part."""
    content = bytearray(content)
    start = int(rng.integers(len(content)))
    size = int(min(len(content) - start, rng.integers(1, 5000)))
    kind = rng.integers(5)
    if kind == 0:
        content[start] ^= 1 << int(rng.integers(8))
    elif kind == 1:
        content[start : start + size] = bytes(size)
    elif kind == 2:
        content[start : start + size] = rng.bytes(size)
    elif kind == 3:
        del content[start:]
    else:
        del content[start : start + size]
    return bytes(content)


def test_damaged_file_is_refused(output, uninterrupted, tmp_path):
    rng = np.random.default_rng(0)
    kept = tmp_path / "kept"
    run_folder_of(output).rename(kept)
    files = sorted(path for path in kept.iterdir() if path.stat().st_size)
    for number in range(80):
        shutil.rmtree(run_folder_of(output), ignore_errors=True)
        shutil.copytree(kept, run_folder_of(output))
        chosen = files[number % len(files)]
        content = chosen.read_bytes()
        (run_folder_of(output) / chosen.name).write_bytes(other := damaged(rng, content))
        what = f"damage {number} of {chosen.name}"
        try:
            table, refusal = rs.fit(output=output, resume=True), None
        except FileFormatError as error:
            table, refusal = None, str(error)
        if table is None:
            assert "start a fit without resume" in refusal, what
        else:
            assert other == content, what
            np.testing.assert_array_equal(table.rows, uninterrupted.rows, what)


def test_files_of_another_fit_are_refused(output, text, tmp_path):
    other = saved_trainer(tmp_path / "other", text.replace("the", "that"))
    other.run_epoch(lambda _: False)
    save_state(other.state, tmp_path / "other")
    kept = tmp_path / "kept"
    run_folder_of(output).rename(kept)
    for names in (["ids.bin"], ["corpus.json"], ["ids.bin", "corpus.json"], [EPOCH_NAME]):
        shutil.rmtree(run_folder_of(output), ignore_errors=True)
        shutil.copytree(kept, run_folder_of(output))
        for name in (STATE_NAME, EPOCH_NAME) if names == [EPOCH_NAME] else ():
            (run_folder_of(output) / name).unlink(missing_ok=True)
        for name in names:
            shutil.copy(tmp_path / "other" / name, run_folder_of(output) / name)
        with pytest.raises(FileFormatError, match="start a fit without resume"):
            rs.fit(output=output, resume=True)


@pytest.mark.parametrize("name", ["ids.bin", "corpus.json"])
def test_missing_file_is_named_in_the_error(output, name):
    (run_folder_of(output) / name).unlink()
    with pytest.raises(FileFormatError, match=rf"{name}' cannot be read \(No such file.*start a fit without resume"):
        rs.fit(output=output, resume=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [("epoch", 4), ("epoch", -1), ("epoch", 1.0), ("chunk", -1), ("chunk", True), ("pairs", float("nan")),
     ("loss", float("inf")), ("loss", "much"), ("losses", [1.0, 2.0]), ("losses", [None]), ("seconds", -1.0)],
)  # fmt: skip
def test_invalid_numbers_with_a_valid_checksum_are_refused(text, tmp_path, name, value):
    trainer = saved_trainer(tmp_path / "fit", text)
    trainer.run_epoch(lambda _: False)
    setattr(trainer.state, name, value)
    save_state(trainer.state, tmp_path / "fit")
    with pytest.raises(FileFormatError, match=rf"damaged \(.*{name}"):
        load_state(tmp_path / "fit")


def test_non_finite_rows_with_a_valid_checksum_are_refused(text, tmp_path):
    trainer = saved_trainer(tmp_path / "fit", text)
    trainer.run_epoch(lambda _: False)
    trainer.state.weights.outputs[3, 2] = np.nan
    save_state(trainer.state, tmp_path / "fit")
    with pytest.raises(FileFormatError, match="not finite"):
        load_state(tmp_path / "fit")


def test_id_outside_the_vocabulary_with_a_valid_checksum_is_refused(text, tmp_path):
    trainer = saved_trainer(tmp_path / "fit", text)
    ids = trainer.corpus.ids().copy()
    ids[100] = len(trainer.corpus.vocabulary)
    ids.tofile(tmp_path / "fit" / "ids.bin")
    trainer.state.files = corpus_checksums(tmp_path / "fit")
    save_state(trainer.state, tmp_path / "fit")
    with pytest.raises(FileFormatError, match="an id is not in the vocabulary"):
        load_state(tmp_path / "fit")


def test_state_within_an_epoch_keeps_the_state_of_the_last_epoch_until_the_next_one(text, tmp_path):
    folder = tmp_path / "fit"
    trainer = saved_trainer(folder, text)
    state = trainer.state
    assert load_epoch(folder, trainer.corpus) is None
    trainer.run_epoch(lambda _: False)
    save_state(state, folder)
    first = state.weights.inputs.copy()
    state.chunk, state.pairs, state.loss = 1, 10.0, 20.0
    state.weights.inputs[:5, :3] += 1
    save_state(state, folder)
    assert sorted(path.name for path in folder.glob("*.safetensors")) == [EPOCH_NAME, STATE_NAME]
    np.testing.assert_array_equal(load_state(folder)[1].weights.inputs, state.weights.inputs)
    np.testing.assert_array_equal(load_epoch(folder, trainer.corpus).weights.inputs, first)
    state.chunk, state.epoch = 0, 2
    state.losses.append(2.0)
    save_state(state, folder)
    assert [path.name for path in folder.glob("*.safetensors")] == [EPOCH_NAME]
    assert load_state(folder)[1].epoch == 2
