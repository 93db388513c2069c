"""Curves, maps, updates and rows of a run equal what its events hold; the shown code computes them."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import cosine_similarity

import rowspace as rs
from rowspace.errors import UsageError
from rowspace_lab.experiments import Events, read_events
from rowspace_lab.lab import Lab
from rowspace_lab.pages.training.figures import KINDS, aligned_maps, form_of, kind_of
from rowspace_lab.pages.training.runs import run_path


@pytest.fixture
def events(trained):
    with read_events(run_path(trained[0], "base")) as opened:
        yield opened


def test_curves_equal_the_events(trained, events: Events, check_code) -> None:
    reply = check_code(trained[0], "training/curves")
    assert reply.arrays["loss_steps"].tolist() == [1, 2, 3, 4, 5, 6]
    np.testing.assert_array_equal(reply.arrays["loss"], events.steps()["loss"])
    assert (
        list(zip(reply.arrays["held_steps"].tolist(), reply.arrays["held"].tolist(), strict=True)) == events.held_out()
    )
    norms = [events.rows(step)["norm"].mean() for step in events.row_steps()]
    np.testing.assert_allclose(reply.arrays["mean_norm"], norms, rtol=1e-6)
    assert reply.meta["uniform"] == pytest.approx(np.log(640))
    assert reply.meta["loss_at_start"] == pytest.approx(reply.meta["uniform"], abs=0.1)  # nearly equal probabilities


def test_maps_keep_the_distances_of_pca_and_turn_as_little_as_possible(trained, events: Events, check_code) -> None:
    reply = check_code(trained[0], "training/snapshots")
    positions, steps = reply.arrays["positions"].astype(float), events.snapshot_steps()
    assert reply.arrays["steps"].tolist() == steps
    for place, step in enumerate(steps):
        expected = PCA(2).fit_transform(events.snapshot(step)["rows"].astype(np.float32))
        np.testing.assert_allclose(pdist(positions[place]), pdist(expected), atol=1e-5)
        if place:
            # scipy scales both; the disparity without further rotation equals the best one
            before, now = (each - each.mean(0) for each in (positions[place - 1], positions[place]))
            _, _, best = procrustes(before, now)
            cosine = (before * now).sum() / np.linalg.norm(before) / np.linalg.norm(now)
            assert 1 - cosine**2 == pytest.approx(best, abs=1e-6)


def test_map_of_one_dimension_and_of_infinite_rows_is_aligned() -> None:
    assert aligned_maps(np.ones((2, 5, 1), np.float32)).shape == (2, 5, 2)
    frames = np.random.default_rng(0).normal(size=(2, 6, 3)).astype(np.float32)
    frames[1, 2] = np.inf
    maps = aligned_maps(frames)
    assert np.isnan(maps[1, 2]).all()
    assert np.isfinite(np.delete(maps[1], 2, axis=0)).all()


def test_updates_equal_the_events(trained, events: Events, check_code) -> None:
    reply = check_code(trained[0], "training/updates")
    record = events.rows(6)
    np.testing.assert_array_equal(reply.arrays["updates"], record["input_updates"])
    np.testing.assert_array_equal(reply.arrays["distances"], record["distance"])
    never = record["input_updates"] == 0
    assert reply.meta["untouched"] == never.sum()
    assert reply.meta["untouched_distance"] == pytest.approx(np.median(record["distance"][never]))
    assert reply.meta["bands"] == ["1 to 9", "10 to 99", "100 to 999", "1,000 or more"]
    assert reply.meta["band_rows"] == [int((~never).sum()), 0, 0, 0]
    assert reply.meta["band_distances"][1:] == [None] * 3
    assert check_code(trained[0], "training/updates", step=3).meta["step"] == 2


def test_row_equals_the_snapshots(trained, events: Events, check_code) -> None:
    table = rs.load(run_path(trained[0], "base"))
    id = table.id("Ġthe")
    reply = check_code(trained[0], "training/row", id=id, step=4, k=3)
    start, now = (events.snapshot(step) for step in (0, 4))
    place = now["ids"].tolist().index(id)
    np.testing.assert_array_equal(reply.arrays["start"], start["rows"][place].astype(np.float32))
    np.testing.assert_array_equal(reply.arrays["now"], now["rows"][place].astype(np.float32))
    rows = now["rows"].astype(float)
    cosines = rows @ rows[place] / np.linalg.norm(rows, axis=1) / np.linalg.norm(rows[place])
    np.testing.assert_allclose(reply.arrays["scores"], np.sort(cosines)[::-1][1:4], rtol=1e-4)
    assert (reply.meta["token"], reply.meta["count"]) == ("␣the", table.counts[id])
    assert reply.meta["updates"] == events.rows(4)["input_updates"][id]
    assert reply.arrays["gradient_steps"].tolist() == [2, 4]
    np.testing.assert_allclose(reply.arrays["head_gradient"][1], events.rows(4)["head_gradient"][id])


def test_row_outside_the_sample_is_refused(train_in, ask) -> None:
    lab = Lab(rs.Table(["a"], np.ones((1, 1))), "some-table")
    train_in(lab, "untied", sample=5, watch=())
    ids = ask(lab, "training/snapshots", run="untied").arrays["ids"].tolist()
    other = next(id for id in range(640) if id not in ids)
    with pytest.raises(UsageError, match=f"id {other} is not in the run's snapshots; choose one of the 5 tokens"):
        ask(lab, "training/row", run="untied", id=other)


def test_row_has_its_moments_and_steps(trained, train_in, events: Events, check_code) -> None:
    lab, _ = trained
    reply, record = check_code(lab, "training/row", id=270), events.rows(6)
    assert reply.arrays["first_moment"][-1] == pytest.approx(record["first_moment"][270])
    # the norm of the roots of d second moments is the root of d times their mean
    assert reply.arrays["second_moment"][-1] ** 2 == pytest.approx(32 * record["second_moment"][270], rel=1e-6)
    assert reply.arrays["moved"][-1] == pytest.approx(record["step"][270])
    assert np.isnan(reply.arrays["head_moved"]).all()
    train_in(lab, "scaled", tied=False)
    assert (check_code(lab, "training/row", run="scaled").arrays["head_moved"] > 0).all()


def test_sums_of_watched_tokens_are_compared_from_both_sides(trained, events: Events, check_code) -> None:
    snapshots = check_code(trained[0], "training/snapshots").meta
    watched, last = snapshots["watched"], events.snapshot(6)
    assert [snapshots["tokens"][place].removeprefix("␣") for place in range(len(watched))] == [
        token.removeprefix("Ġ") for token in events.header["watched"]
    ]
    ids = [id for id, gradient in zip(watched, last["input_sum"], strict=True) if gradient.any()][:3]
    ids.reverse()
    reply = check_code(trained[0], "training/both-sides", ids=",".join(map(str, ids)))
    places = [last["ids"].tolist().index(id) for id in ids]
    np.testing.assert_array_equal(reply.arrays["input"][-1], last["input_sum"][places])
    for side in ("input", "head"):
        expected = cosine_similarity(last[f"{side}_sum"][places])[0]  # scikit-learn's
        np.testing.assert_allclose(reply.arrays[f"{side}_cosines"][-1], expected, rtol=1e-4)
        expected = np.linalg.norm(last[f"{side}_step"][places], axis=1)
        np.testing.assert_allclose(reply.arrays[f"{side}_steps"][-1], expected, rtol=1e-6)
    between = cosine_similarity(last["input_sum"][places], last["head_sum"][places]).diagonal()
    np.testing.assert_allclose(reply.arrays["side_cosines"][-1], between, rtol=1e-4)
    assert np.isnan(reply.arrays["input_cosines"][0]).all()  # before the first gradient


def test_gradients_of_other_tokens_are_refused(trained, ask) -> None:
    with pytest.raises(UsageError, match=r"id 0 is not watched; the gradients of \[\d+, "):
        ask(trained[0], "training/both-sides", ids=0)


def test_run_that_watches_nothing_has_no_summed_gradients(train_in, ask) -> None:
    lab = Lab(rs.Table(["a"], np.ones((1, 1))), "some-table")
    train_in(lab, "base", steps=1, watch=())
    with pytest.raises(UsageError, match="the run watches no tokens; train it with --watch TOKEN"):
        ask(lab, "training/both-sides")


def test_rows_without_a_gradient_move_by_momentum_or_decay(trained, train_in, check_code) -> None:
    """In a tied table the head gives all rows a gradient; in an untied one only the tokens of the batch have one."""
    lab, _ = trained
    tied = check_code(lab, "training/without-gradient").arrays
    assert tied["by_gradient"].tolist() == [640] * 3
    train_in(lab, "untied", record=1)
    reply = check_code(lab, "training/without-gradient", run="untied", k=5)
    with read_events(run_path(lab, "untied")) as events:
        touched, records = events.steps()["rows_touched"], [events.rows(step) for step in events.row_steps()]
    np.testing.assert_array_equal(reply.arrays["by_gradient"], touched)
    seen = np.array([(record["input_updates"] > 0).sum() for record in records])
    np.testing.assert_array_equal(reply.arrays["by_momentum"], seen - touched)
    np.testing.assert_array_equal(reply.arrays["by_decay"], 640 - seen)
    most = reply.arrays["ids"]
    assert reply.meta["why"] == ["momentum"] * 5
    np.testing.assert_array_equal(records[-1]["input_gradient"][most], 0)
    assert reply.arrays["moved"].tolist() == sorted(records[-1]["step"][most], reverse=True)
    train_in(lab, "decay-0", tied=False)
    assert check_code(lab, "training/without-gradient", run="decay-0").arrays["still"].min() > 0


def test_rows_that_differ_most_between_runs(trained, train_in, check_code) -> None:
    lab, _ = trained
    train_in(lab, "word")
    reply = check_code(lab, "training/moved", k=5)
    distances = reply.arrays["distances"]
    assert distances.tolist() == sorted(distances, reverse=True)
    assert reply.meta["median"] < distances[0]


def test_order_is_seen_without_positions_by_a_causal_mask_only(trained, train_in, check_code) -> None:
    """A sum over all tokens has no order; a causal mask gives each token a sum over others."""
    lab, _ = trained
    train_in(lab, "positions-none")
    without = check_code(lab, "training/order", run="positions-none").meta
    assert without["full"] == 0
    assert without["causal"] > 0
    assert check_code(lab, "training/order").meta["full"] > 0


def test_opened_run_is_shown_and_a_table_is_not_one(trained, ask, tmp_path: Path) -> None:
    path = run_path(trained[0], "base")
    lab = Lab(rs.load(path), path)
    assert ask(lab, "training/own").meta["run"] == {"step": 6, "steps": 6}
    assert ask(lab, "training/curves").meta["step"] == 6
    assert f"run={path!r}" in ask(lab, "training/curves").meta["code"]
    assert ask(trained[0], "training/own").meta == {"run": None}


def test_tokens_are_grouped_by_what_they_are() -> None:
    tokens = {"␣the": 0, "ing": 1, "12": 2, "␣7": 2, "()": 3, "↵": 3, "␣": 3, "é": 1}
    assert {token: form_of(token) for token in tokens} == tokens


def test_words_of_sentences_are_grouped_by_what_they_mean() -> None:
    kinds = {
        "cats": "animals",
        "queen": "people",
        "castles": "things and places",
        "runs": "other words",
        "fly": "what they do",
    }
    assert {word: KINDS[kind_of(word)] for word in kinds} == kinds


def test_map_of_sentences_has_their_words_by_kind(train_in, check_code) -> None:
    lab = Lab(rs.Table(["a"], np.ones((1, 1))), "some-table")
    train_in(lab, "sentences-base")
    reply = check_code(lab, "training/snapshots", run="sentences-base")
    groups = dict(zip(reply.meta["tokens"], reply.arrays["groups"].tolist(), strict=True))
    assert [reply.meta["group_names"][groups[token]] for token in ("dog", "king", "the", "[UNK]")] == [
        "animals",
        "people",
        "other words",
        "not in the text",
    ]
    assert [reply.meta["tokens"][place] for place in range(2)] == ["cat", "dog"]  # the watched ones are first
    updates = check_code(lab, "training/updates", run="sentences-base")
    assert updates.meta["group_names"] == KINDS
