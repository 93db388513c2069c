"""The tasks: what is held out, what labels mean, and messages for too little text."""

import numpy as np
import pytest

from rowspace.errors import CorpusError, UsageError
from rowspace_lab.experiments.arena.options import ArenaOptions
from rowspace_lab.experiments.arena.strategies import TASKS
from rowspace_lab.experiments.arena.tasks.baselines import baseline
from rowspace_lab.experiments.arena.tasks.samples import CHUNKS, make_tasks, misspell


def test_there_are_four_tasks_with_separate_held_out_samples(tasks):
    assert tuple(tasks) == TASKS
    for task in tasks.values():
        assert len(task.train) > 5 * len(task.test) > 0
        assert (len(task.train.labels), len(task.test.labels)) in ((0, 0), (len(task.train), len(task.test)))
    images = tasks["images"]
    assert not set(images.train.units.ravel()) & set(images.test.units.ravel())


def test_windows_predict_each_chunk_of_the_text_once(tasks, documents):
    task = tasks["next-bytes"]
    windows = np.concatenate([task.train.units, task.test.units])
    assert windows.shape[1] == CHUNKS + 1
    text = "".join(" ".join(document.split()) + " " for document in documents)
    first = b"".join(task.units[unit] for unit in task.train.units[0]).decode()
    assert text.startswith(first)
    predicted = sum(len(task.units[unit]) for unit in windows[:, 1:].ravel())
    assert len(text.encode()) - 300 < predicted <= len(text.encode())


def test_the_requested_word_is_the_label(tasks):
    task = tasks["text-in-images"]
    requested = [task.units[unit] for unit in task.train.units[:, 0]]
    assert set(requested) == {b"left ", b"right "}
    assert len(task.classes) == 8
    # Without knowing the image, no class is much more frequent than the others.
    assert baseline(task) < 0.3


def test_all_parts_of_the_text_are_held_out(tasks):
    assert len(set(tasks["rare-words"].test.labels)) == 8


def test_misspelled_words_keep_their_end():
    rng = np.random.default_rng(0)
    wrong = [misspell("naïveté ", rng) for _ in range(50)]
    assert all(word.endswith(" ") and 7 <= len(word) <= 9 for word in wrong)
    assert len(set(wrong)) > 10
    assert misspell("a", rng)[:0] == ""


def test_too_little_text_is_refused():
    with pytest.raises(CorpusError, match="too short for next-bytes: it gives 0 inputs, and at least 181 are needed"):
        make_tasks(["a few words"], ArenaOptions(tasks=["next-bytes"]))
    with pytest.raises(CorpusError, match="has 1 words of three to five letters, but text-in-images needs 8"):
        make_tasks(["some " * 50], ArenaOptions(tasks=["text-in-images"]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"strategies": ["bits"]}, "strategies must be among small-tied, .*, not 'bits'"),
        ({"tasks": []}, "tasks must name at least one of next-bytes"),
        ({"seconds": -1}, "seconds must be a number from"),
        ({"column": ""}, "column must be the name of a column"),
    ],
)
def test_impossible_options_are_refused(given, message):
    with pytest.raises(UsageError, match=message):
        ArenaOptions(**given)
