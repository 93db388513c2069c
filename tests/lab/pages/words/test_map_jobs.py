"""The jobs of the map: frames that lead to what `rowspace.space` finds, and what is said of the last one."""

import numpy as np
import pytest

import rowspace as rs
from rowspace import space
from rowspace.errors import UsageError
from rowspace.lab.jobs.kinds import Progress
from rowspace.lab.lab import Lab
from rowspace.lab.pages.words.map_jobs import JOB_KINDS
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply, decode


@pytest.fixture
def make_lab(small_lab):
    """A lab of so many rows of 6 numbers."""

    def make(size: int):
        rows = np.random.default_rng(0).normal(size=(size, 6)).astype(np.float32)
        return small_lab([f"w{id}" for id in range(size)], rows)

    return make


def run(lab, kind: str, **parameters: str) -> tuple[list[Progress], list[Reply]]:
    """What the job tells, as its worker has it, after the job that it needs."""
    return work(lab, kind, JOB_KINDS[kind].read(lab, Query({name: [value] for name, value in parameters.items()})))


def work(lab, kind: str, read) -> tuple[list[Progress], list[Reply]]:
    arrays = dict(JOB_KINDS[kind].arrays(lab, **read))
    if JOB_KINDS[kind].needs is not None:
        _, frames = work(lab, *JOB_KINDS[kind].needs(lab, **read))
        arrays |= decode(frames[-1].encode()).arrays
    told = list(JOB_KINDS[kind].run(**arrays, **read))
    return [news for news in told if isinstance(news, Progress)], [news for news in told if isinstance(news, Reply)]


MAPS = [("tsne", {"perplexity": "7"}), ("umap", {"num_neighbors": "9"})]


def check_last_frame(lab, kind: str, parameters: dict[str, str]) -> Reply:
    progress, frames = run(lab, kind, **parameters)
    last, names = frames[-1], {}
    exec(last.meta["code"], names)  # noqa: S102  # our own code, as a reader would paste it
    figure = names[kind]
    np.testing.assert_array_equal(last.arrays["positions"], figure["positions"])
    assert last.arrays["ids"].tolist() == list(range(len(lab.table)))
    assert {name: figure[name] for name in ("kept", "by_chance", "k", "sample")}.items() <= last.meta.items()
    fractions = [news.fraction for news in progress]
    assert fractions == sorted(fractions)
    assert all(any(letter.isdigit() for letter in news.sentence) for news in progress)
    return last


@pytest.mark.parametrize(("kind", "parameters"), MAPS)
def test_last_frame_equals_the_result_of_its_code(make_lab, kind: str, parameters) -> None:
    last = check_last_frame(make_lab(60), kind, parameters)
    assert (last.meta["mapped"], last.meta["placed"]) == (60, 0)
    found = space.neighborhood_preservation(make_lab(60).table.rows, last.arrays["positions"])
    assert last.meta["kept"] == found.share


def test_large_table_maps_a_sample_and_places_the_other_rows(make_lab) -> None:
    """As a job of the same parameters, with a sample of 40: what a table of more than 20,000 rows is asked with."""
    lab = make_lab(60)
    read = {**JOB_KINDS["tsne"].read(lab, Query({"perplexity": ["7"]})), "sample": 40}
    _, frames = work(lab, "tsne", read)
    last = frames[-1]
    assert (last.meta["mapped"], last.meta["placed"]) == (40, 20)
    expected = space.place_others(lab.table.rows, space.tsne(lab.table.rows, perplexity=7, sample=40))
    np.testing.assert_array_equal(last.arrays["positions"], expected)


def test_large_table_uses_a_sample_shown_in_the_code() -> None:
    rows = np.zeros((20_001, 2), np.float32)
    lab = Lab(rs.Table([f"w{id}" for id in range(len(rows))], rows), "large-table")
    read = JOB_KINDS["umap"].read(lab, Query({}))
    assert read["sample"] == 20_000
    assert read["code"].endswith("umap = umap_figure(table, num_neighbors=15, sample=20000)")


def test_both_maps_share_the_neighbor_search(make_lab) -> None:
    lab = make_lab(60)
    needed = [JOB_KINDS[kind].needs(lab, **JOB_KINDS[kind].read(lab, Query({}))) for kind in ("tsne", "umap")]
    assert needed[0] == needed[1] == ("neighbors", {"k": 90, "sample": None})


def test_unmappable_table_is_refused_with_the_librarys_message(make_lab) -> None:
    with pytest.raises(UsageError, match="needs 8 rows"):
        run(make_lab(3), "umap")


def test_parameters_are_checked_before_the_job_starts(make_lab) -> None:
    with pytest.raises(UsageError, match="perplexity must be a whole number from 2 to 100"):
        JOB_KINDS["tsne"].read(make_lab(3), Query({"perplexity": ["1"]}))
    with pytest.raises(UsageError, match="num_neighbors must be"):
        JOB_KINDS["umap"].read(make_lab(3), Query({"num_neighbors": ["x"]}))
