"""The experiments that jobs run: widths of the small world, texts longer than those of training, and tied heads."""

import math
import sys

import numpy as np
import pytest
from scipy.stats import sem
from sklearn.decomposition import TruncatedSVD
from sklearn.neighbors import NearestNeighbors

import rowspace as rs
from rowspace.errors import MissingExtraError, UsageError
from rowspace.table import Table
from rowspace_lab.jobs.kinds import Progress
from rowspace_lab.lessons.claims import PAGE
from rowspace_lab.lessons.claims.stored import stored
from rowspace_lab.lessons.computed.claims import STORED_JOB
from rowspace_lab.lessons.computed.claims.lengths import longer_texts_numbers
from rowspace_lab.lessons.computed.claims.tying import HeadRun, tying_numbers
from rowspace_lab.lessons.computed.claims.width import (
    Learned,
    cut_figure,
    held_out_loss,
    learn_both,
    learned_tables,
    wider_figure,
)
from rowspace_lab.lessons.computed.topics import positions
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply, decode
from rowspace_lab.tables.small_world import small_world_sentences
from rowspace_lab.tables.world import OPTIONS


def test_rows_equal_those_of_fit() -> None:
    sentences = small_world_sentences()[::4]
    learned = learn_both(sentences, dim=5, seed=3)
    table = rs.fit(iter(sentences), dim=5, seed=3, **OPTIONS)
    assert learned["words"] == list(table)
    np.testing.assert_array_equal(learned["inputs"], table.rows)
    assert learned["outputs"].shape == table.rows.shape


def test_held_out_loss_equals_the_expected_loss_of_drawn_windows_and_negatives() -> None:
    drawn = np.random.default_rng(0)
    words, counts = ["a", "b", "c"], np.array([5, 3, 1])
    inputs, outputs = drawn.normal(size=(2, 3, 4))
    learned: Learned = {"dim": 4, "seed": 0, "words": words, "counts": counts, "inputs": inputs, "outputs": outputs}
    found = held_out_loss(learned, ["a b x c a"], window=3, negatives=5)
    sentence = [0, 1, 2, 0]  # without the unknown word
    noise = counts**0.75 / sum(counts**0.75)
    total = pairs = 0.0
    for width in (1, 2, 3):  # each width of a window is drawn equally often
        for at, one in enumerate(sentence):
            for place, other in enumerate(sentence):
                if not 0 < abs(at - place) <= width:
                    continue
                expected = sum(noise[word] * math.log1p(math.exp(inputs[one] @ outputs[word])) for word in range(3))
                total += math.log1p(math.exp(-(inputs[one] @ outputs[other]))) + 5 * expected
                pairs += 1
    assert found == pytest.approx(total / pairs)


def test_wider_compares_widths_fold_by_fold() -> None:
    dims, seeds = [2, 6], [0, 1]
    found = wider_figure(dims=dims, seeds=seeds)
    tables = {
        (learned["seed"], learned["dim"]): (learned, loss) for learned, loss in learned_tables(dims=dims, seeds=seeds)
    }
    losses = np.array([[tables[seed, dim][1] for dim in dims] for seed in seeds])
    np.testing.assert_array_equal(found["losses"], losses)
    change = losses[:, 1] / losses[:, 0] - 1
    assert found["change"] == pytest.approx(change.mean())
    assert found["noise"] == pytest.approx(change.std(ddof=1) / 2**0.5)
    one, other = tables[0, 2][0], tables[1, 6][0]
    common = sorted(set(one["words"]) & set(other["words"]))
    near = [
        NearestNeighbors(metric="cosine")
        .fit([each["inputs"][each["words"].index(word)] for word in common])
        .kneighbors(n_neighbors=10)[1]
        for each in (one, other)
    ]
    shared = np.mean([len({*first} & {*second}) / 10 for first, second in zip(*near, strict=True)])
    assert found["kept"][0, 0] == pytest.approx(shared, abs=1e-3)


def test_cut_table_keeps_the_neighbors_of_its_first_components() -> None:
    drawn = np.random.default_rng(1)
    rows = drawn.normal(size=(200, 8)) * 2.0 ** -np.arange(8)
    table = Table([str(id) for id in range(200)], rows.astype(np.float32))
    found = cut_figure(table, limit=1000, queries=1000, seed=0)
    assert found["cut_dims"] == [2, 4, 8]
    centered = TruncatedSVD(4, algorithm="arpack", random_state=0).fit(table.rows - table.rows.mean(0))
    cut = table.rows @ centered.components_.T
    near = [NearestNeighbors(metric="cosine").fit(each).kneighbors(n_neighbors=10)[1] for each in (table.rows, cut)]
    kept = np.mean([len({*one} & {*other}) / 10 for one, other in zip(*near, strict=True)])
    assert found["cut_kept"][1] == pytest.approx(kept, abs=2e-3)
    assert found["cut_kept"][2] == 1
    for shape in ((19, 4), (30, 1025)):  # too few rows, and too wide ones
        small = Table([str(id) for id in range(shape[0])], np.ones(shape, np.float32))
        assert cut_figure(small, limit=1000, queries=1000, seed=0)["cut_dims"] == []


@pytest.fixture(scope="module")
def reports(world_lab) -> list[Progress | Reply]:
    kind = PAGE.job_kinds["claim-wider"]
    parameters = kind.read(world_lab, Query({"dims": ["2,4"], "seeds": ["2"]}))
    return list(kind.run(**kind.arrays(world_lab, **parameters), **parameters))


def test_job_reports_each_table_and_ends_with_the_verdict(reports) -> None:
    assert [report.fraction for report in reports if isinstance(report, Progress)] == [0, 0.25, 0.5, 0.75, 1]
    frames = [decode(report.encode()) for report in reports if isinstance(report, Reply)]
    assert [int(np.isfinite(frame.arrays["losses"]).sum()) for frame in frames] == [0, 1, 2, 3, 4, 4]
    assert [frame.meta["finished"] for frame in frames] == [False] * 5 + [True]
    names: dict[str, dict[str, object]] = {}
    exec(frames[-1].meta["code"], names)  # generated by the lab
    np.testing.assert_array_equal(names["wider"]["losses"], frames[-1].arrays["losses"])
    np.testing.assert_array_equal(names["cut"]["cut_kept"], frames[-1].arrays["cut_kept"])
    assert names["wider"]["verdict"] == frames[-1].meta["verdict"] != ""
    assert "{=" not in frames[-1].meta["evidence"]


def test_stored_result_is_measured_again(world_lab) -> None:
    kind = PAGE.job_kinds[STORED_JOB]
    started, frame = kind.run(**kind.read(world_lab, Query({"name": ["orthogonal"]})))
    assert isinstance(started, Progress)
    assert started.sentence == f"measuring; the stored result took {stored('orthogonal')['seconds']} s"
    numbers = stored("orthogonal")["numbers"]  # measured on another day, maybe on another machine
    assert frame.meta["verdict"] == numbers["verdict"]
    assert {bar["name"]: pytest.approx(bar["value"], rel=1e-3) for bar in frame.meta["bars"]} == numbers["bars"]
    with pytest.raises(UsageError, match="name must be one of"):
        kind.read(world_lab, Query({"name": ["queen"]}))


def test_parameters_are_checked(world_lab, monkeypatch) -> None:
    with pytest.raises(UsageError, match="two or more different widths"):
        PAGE.job_kinds["claim-wider"].read(world_lab, Query({"dims": ["4,4"]}))
    with pytest.raises(UsageError, match="seeds must be a whole number from 2 to 10"):
        PAGE.job_kinds["claim-wider"].read(world_lab, Query({"seeds": ["1"]}))
    assert "alibi" in PAGE.job_kinds["claim-longer-texts"].read(world_lab, Query({}))["code"]
    assert "untied" in PAGE.job_kinds["claim-tying"].read(world_lab, Query({}))["code"]
    monkeypatch.setitem(sys.modules, "torch", None)  # as if PyTorch, which is installed here, were missing
    for kind in ("claim-longer-texts", "claim-tying"):
        with pytest.raises(MissingExtraError, match="needs PyTorch"):
            PAGE.job_kinds[kind].read(world_lab, Query({}))


def test_longer_texts_are_compared_with_the_trained_length() -> None:
    bits = {
        "sinusoid": {8: 2.0, 16: 2.1, 32: 2.2},
        "rotary": {8: 1.9, 16: 1.9, 32: 1.805},
        "alibi": {8: 2, 16: 2, 32: 2},
    }
    found = longer_texts_numbers(bits, steps=7)
    assert (found["sinusoid"], found["rotary"], found["alibi"]) == (pytest.approx(0.1), pytest.approx(-0.05), 0)
    assert (found["trained"], found["longest"], found["verdict"]) == (8, 32, "it depends")


def test_tied_and_untied_models_are_compared_seed_by_seed() -> None:
    bits = {"tied": [2.2, 2.4, 2.0], "untied": [2.0, 2.0, 2.0]}
    runs: list[HeadRun] = [
        {"head": head, "seed": seed, "parameters": 70 if head == "tied" else 100, "bits": bits[head][seed - 1]}
        for seed in (1, 2, 3)
        for head in ("tied", "untied")
    ]
    found = tying_numbers(runs, steps=7)
    assert (found["saved"], found["share"], found["runs"]) == (30, pytest.approx(0.3), 3)
    assert (found["tied"], found["untied"]) == (pytest.approx(2.2), 2.0)
    assert found["change"] == pytest.approx(0.1)
    assert found["noise"] == pytest.approx(sem([0.1, 0.2, 0.0]))  # SciPy
    assert found["verdict"] == "true"
    np.testing.assert_array_equal(found["bits"], [bits["tied"], bits["untied"]])


@pytest.mark.long
def test_job_trains_both_heads_with_each_seed(world_lab) -> None:
    kind = PAGE.job_kinds["claim-tying"]
    parameters = kind.read(world_lab, Query({"seeds": ["2"], "steps": ["2"]}))
    reports = list(kind.run(**parameters))
    assert [report.fraction for report in reports if isinstance(report, Progress)][-1] == 1
    frames = [decode(report.encode()) for report in reports if isinstance(report, Reply)]
    assert [int(np.isfinite(frame.arrays["bits"]).sum()) for frame in frames] == [1, 2, 3, 4, 4]
    last = frames[-1]
    names: dict[str, dict[str, object]] = {}
    exec(last.meta["code"], names)  # generated by the lab
    np.testing.assert_array_equal(names["tying"]["bits"], last.arrays["bits"])
    assert names["tying"]["verdict"] == last.meta["verdict"]
    assert names["tying"]["saved"] == 640 * 32  # the matrix that a tied model does not have
    assert "{=" not in last.meta["evidence"]


@pytest.mark.long
def test_small_models_read_longer_texts(world_lab) -> None:
    kind = PAGE.job_kinds["claim-longer-texts"]
    reports = list(kind.run(**kind.read(world_lab, Query({"steps": ["2"]}))))
    progress = [report for report in reports if isinstance(report, Progress)]
    assert progress[0].sentence.startswith("sinusoid, model 1 of 3: step ")
    assert progress[-1] == Progress(1, "alibi, model 3 of 3: step 2 of 2")
    frames = [decode(report.encode()) for report in reports if isinstance(report, Reply)]
    assert [(len(frame.meta["schemes"]), frame.meta["finished"]) for frame in frames] == [
        (1, False),
        (2, False),
        (3, False),
        (3, True),
    ]
    windows = positions.windows()
    last = frames[-1].arrays
    assert last["lengths"].tolist() == [windows["trained"], 2 * windows["trained"], windows["longest"]]
    assert np.all((last["bits"] > 0) & (last["bits"] < 20))
