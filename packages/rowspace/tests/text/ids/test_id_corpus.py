"""A corpus of ids: it round-trips, and inconsistent files are refused."""

import dataclasses
import json

import numpy as np
import pytest

from rowspace.errors import FileFormatError
from rowspace.text.ids.id_corpus import CORPUS_NAME, IDS_NAME, IdCorpus


@pytest.fixture
def corpus(tmp_path):
    ids = np.array([0, 1, -1, 0, -1], "<i4")
    ids.tofile(tmp_path / IDS_NAME)
    return IdCorpus(
        ids_path=tmp_path / IDS_NAME,
        size=5,
        vocabulary=["the", "cät"],
        counts=np.array([2, 1]),
        words=4,
        replaced=1,
        tokenizer='{"a": "ü"}',
    )


def test_corpus_round_trips(corpus, tmp_path):
    corpus.save()
    again = IdCorpus.load(tmp_path)

    assert again.counts.dtype == np.int64
    assert again.counts.tolist() == [2, 1]
    for field in dataclasses.fields(corpus):
        if field.name != "counts":
            assert getattr(again, field.name) == getattr(corpus, field.name)


def test_ids_are_memory_mapped(corpus):
    ids = corpus.ids()

    assert isinstance(ids, np.memmap)
    assert not ids.flags.writeable
    assert ids.tolist() == [0, 1, -1, 0, -1]


@pytest.mark.parametrize("size", [1, 1024, 5_000, 200_003])
def test_chunks_are_consecutive_parts_of_the_ids(corpus, size):
    ids = np.random.default_rng(0).integers(-1, 9, size).astype("<i4")
    ids.tofile(corpus.ids_path)
    corpus.size = size
    chunks = [corpus.chunk(number, epoch=3) for number in range(corpus.num_chunks)]

    assert np.concatenate(chunks).tolist() == ids.tolist()


def test_second_save_replaces_the_first(corpus, tmp_path):
    corpus.save()
    corpus.words = 9
    corpus.save()

    assert IdCorpus.load(tmp_path).words == 9
    assert sorted(path.name for path in tmp_path.iterdir()) == [CORPUS_NAME, IDS_NAME]


def change(path, **changes):
    parts = json.loads(path.read_text())
    path.write_text(json.dumps(parts | changes))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / CORPUS_NAME).unlink(), "corpus.json' cannot be read: No such file"),
        (lambda folder: (folder / IDS_NAME).unlink(), "ids.bin' cannot be read: No such file"),
        (lambda folder: (folder / CORPUS_NAME).write_text('{"size": 5'), "not valid JSON .*; encode the corpus again"),
        (lambda folder: (folder / CORPUS_NAME).write_bytes(b"\xff"), "corpus.json: byte 0: not valid UTF-8"),
        (lambda folder: (folder / CORPUS_NAME).write_text("[]"), "corpus.json: .*not an object"),
        (lambda folder: (folder / CORPUS_NAME).write_text("{}"), "corpus.json' is damaged"),
        (lambda folder: change(folder / CORPUS_NAME, more=1), "corpus.json' is damaged"),
        (lambda folder: change(folder / CORPUS_NAME, counts=["x"]), "corpus.json' is damaged"),
        (lambda folder: change(folder / CORPUS_NAME, version=2), "has version 2, not 1"),
        (lambda folder: change(folder / CORPUS_NAME, size=4), "ids.bin' does not fit"),
        (lambda folder: change(folder / CORPUS_NAME, vocabulary=["a"]), "ids.bin' does not fit"),
        (lambda folder: (folder / IDS_NAME).write_bytes(b"1234"), "ids.bin' does not fit"),
    ],
)
def test_damaged_file_is_named_in_the_error(corpus, tmp_path, damage, message):
    corpus.save()
    damage(tmp_path)

    with pytest.raises(FileFormatError, match=message):
        IdCorpus.load(tmp_path)
