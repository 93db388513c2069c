"""The jobs of the map: frames that lead to what `rowspace.space` finds, and what is said of the last one."""

import numpy as np
import pytest

from rowspace import space
from rowspace.errors import UsageError
from rowspace.lab import word_jobs
from rowspace.lab.kinds import Progress
from rowspace.lab.query import Query
from rowspace.lab.reply import Reply
from rowspace.lab.word_jobs import KINDS


@pytest.fixture
def make_lab(small_lab):
    """A lab of so many rows of 6 numbers, with or without counts that rise."""

    def make(size: int, *, counted: bool = True):
        rows = np.random.default_rng(0).normal(size=(size, 6)).astype(np.float32)
        return small_lab([f"w{id}" for id in range(size)], rows, np.arange(size) if counted else None)

    return make


def run(lab, kind: str, **parameters: str) -> tuple[list[Progress], list[Reply]]:
    """What the job tells, as its worker would have it."""
    read = KINDS[kind].read(lab, Query({name: [value] for name, value in parameters.items()}))
    told = list(KINDS[kind].run(**KINDS[kind].arrays(lab, **read), **read))
    return [news for news in told if isinstance(news, Progress)], [news for news in told if isinstance(news, Reply)]


@pytest.mark.parametrize(("kind", "parameters"), [("tsne", {"perplexity": "7"}), ("umap", {"num_neighbors": "9"})])
@pytest.mark.parametrize("counted", [True, False])
def test_the_last_frame_is_what_its_code_gives(make_lab, monkeypatch, kind: str, parameters, counted: bool) -> None:
    monkeypatch.setattr(word_jobs, "MOST_ROWS", 40)
    lab = make_lab(60, counted=counted)
    progress, frames = run(lab, kind, **parameters)
    last = frames[-1]
    names: dict[str, object] = {}
    exec(last.meta["code"], names)  # noqa: S102  # our own code, as a reader would paste it
    np.testing.assert_array_equal(last.arrays["positions"], names["positions"])
    np.testing.assert_array_equal(last.arrays["ids"], names["ids"])
    assert last.meta["kept"] == names["kept"]
    assert last.arrays["ids"].tolist() == list(range(20, 60) if counted else range(40))
    fractions = [news.fraction for news in progress]
    assert fractions == sorted(fractions)
    assert all(any(letter.isdigit() for letter in news.sentence) for news in progress)


def test_the_last_frame_says_what_it_keeps(make_lab) -> None:
    lab = make_lab(50)
    _, frames = run(lab, "tsne")
    found = space.neighbors_kept(lab.table.rows, frames[-1].arrays["positions"])
    assert {"kept": found.share, "by_chance": found.by_chance, "k": 10, "sample": 50}.items() <= frames[-1].meta.items()
    assert "table.rows)" not in frames[-1].meta["code"]  # the parameters are in it
    assert [frame.meta["steps"] for frame in frames] == [750] * len(frames)


def test_what_cannot_be_mapped_is_refused_in_the_words_of_the_library(make_lab) -> None:
    with pytest.raises(UsageError, match="needs 8 rows"):
        run(make_lab(3), "umap")


def test_parameters_are_checked_before_anything_starts(make_lab) -> None:
    with pytest.raises(UsageError, match="perplexity must be a whole number from 2 to 100"):
        KINDS["tsne"].read(make_lab(3), Query({"perplexity": ["1"]}))
    with pytest.raises(UsageError, match="num_neighbors must be"):
        KINDS["umap"].read(make_lab(3), Query({"num_neighbors": ["x"]}))
