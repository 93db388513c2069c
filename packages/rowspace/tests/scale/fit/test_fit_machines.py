"""Learning on several machines: simulated by threads, and by processes that are killed and interrupted."""

import bz2
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import timedelta

import numpy as np
import pytest
from tests.scale.fit.simulated import fit_on, on_each
from torch.distributed import HashStore

import rowspace as rs
from rowspace._base.atomic import scratch_folder
from rowspace.errors import CorpusError, CorpusWarning, FitDiverged, RowspaceError, UsageError
from rowspace.learn import Reports
from rowspace.scale import fit_machines
from rowspace.scale.fit.learning import rows_to_merge
from rowspace.scale.fit.machines import FailedElsewhere, Machines
from rowspace.scale.fit.vocabulary import encode_shard, shard_of
from rowspace.text import TextOptions, encode_corpus

SMALL = {"dim": 20, "epochs": 2, "workers": 1}


def assert_failed(found, kind, message):
    """One machine has the reason, and the others end too."""
    reasons = [each for each in found if not isinstance(each, FailedElsewhere)]
    assert [type(each) for each in reasons] == [kind]
    assert message in str(reasons[0])


@pytest.mark.parametrize("deterministic", [False, True])
def test_one_machine_has_the_rows_of_fit(english, deterministic):
    options = SMALL | {"deterministic": deterministic}
    expected = rs.fit(english, **options)
    (found,) = fit_on(1, english, merge_every=10_000, **options)
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(found.outputs, expected.outputs)
    assert (found.vocabulary, found.tokenizer) == (expected.vocabulary, expected.tokenizer)
    assert found.settings["losses"] == expected.settings["losses"]
    assert found.settings["bytes_sent"] == 0


@pytest.mark.parametrize(
    ("corpus", "options"),
    [
        ("english", {}),
        ("english", {"split": "whitespace", "min_count": 2}),
        ("english", {"max_vocabulary": 300}),
        ("chinese", {}),
        ("chinese", {"max_vocabulary": 9}),
    ],
    ids=str,
)
def test_the_ids_of_all_machines_are_those_of_one_process(corpus, options, tmp_path, request):
    corpus = request.getfixturevalue(corpus)
    options = TextOptions(**options, workers=2)
    (tmp_path / "one").mkdir()
    one = encode_corpus(corpus, tmp_path / "one", options=options)

    def encode(machines):
        folder = tmp_path / str(machines.rank)
        folder.mkdir()
        ids = encode_shard(corpus, shard_of(corpus, machines, options), folder, machines, options)
        return ids, ids.ids()

    found = on_each(3, encode)
    np.testing.assert_array_equal(np.concatenate([ids for _, ids in found]), one.ids())
    for ids, own in found:
        assert len(own) < one.size / 2
        assert (ids.vocabulary, ids.words, ids.tokenizer) == (one.vocabulary, one.words, one.tokenizer)
        np.testing.assert_array_equal(ids.counts, one.counts)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"workers": 2}, marks=pytest.mark.long),
        pytest.param({"model": "cbow"}, marks=pytest.mark.long),
        pytest.param({"subwords": True, "buckets": 5000}, marks=pytest.mark.long),
    ],
    ids=str,
)
def test_eight_machines_learn_the_same_table_about_as_well_as_one(english, options):
    options = SMALL | {"epochs": 4} | options
    one = rs.fit(english, **options)
    found = fit_on(8, english, merge_every=1000, first_rows=64, **options)
    for other in found[1:]:
        np.testing.assert_array_equal(other.rows, found[0].rows)
    settings = found[0].settings
    assert settings["machines"] == 8
    assert settings["alpha"] == pytest.approx(4 * one.settings["alpha"])
    assert len(settings["losses"]) == 4
    assert settings["losses"][-1] < 1.05 * one.settings["losses"][-1]


def test_adaptive_sum_adds_changes_and_takes_the_mean_of_equal_ones():
    rng = np.random.default_rng(0)
    before = rng.normal(size=(5, 4)).astype(np.float32)
    changes = rng.normal(size=(3, 5, 4)).astype(np.float32)
    changes[:, 0] = changes[0, 0]
    changes[:, 1] = np.diag([1, 2, 3])[:, [0, 1, 2, 2]] * [1, 1, 1, 0]
    changes[:, 2] = [[1, 2, 3, 4], [-1, -2, -3, -4], [0, 0, 0, 0]]
    changes[:, 3] = 0

    def merge(machines):
        rows, earlier = before + changes[machines.rank], before.copy()
        machines.adaptive_sum(rows, earlier)
        np.testing.assert_array_equal(rows, earlier)
        assert machines.sent == 4 * (rows.size + len(rows))
        return rows

    found = on_each(3, merge)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    moved = found[0].astype(float) - before
    np.testing.assert_allclose(moved[0], changes[0, 0], atol=1e-6)
    np.testing.assert_allclose(moved[1], changes[:, 1].sum(0), atol=1e-6)
    np.testing.assert_allclose(moved[2:4], 0, atol=1e-6)
    total = changes[:, 4].sum(0)
    np.testing.assert_allclose(moved[4], total * min(1, (changes[:, 4] ** 2).sum() / (total @ total)), atol=1e-6)


def test_adaptive_sums_learn_more_than_means_do_at_the_rate_of_one_machine(english):
    options = SMALL | {"merge_every": 1000, "first_rows": 64}
    sums = fit_on(8, english, merging="adaptive", **options)
    for other in sums[1:]:
        np.testing.assert_array_equal(other.rows, sums[0].rows)
    alpha = sums[0].settings["alpha"]
    assert alpha == 0.035
    means = fit_on(8, english, alpha=alpha, **options)
    assert sums[0].settings["losses"][-1] < 0.95 * means[0].settings["losses"][-1]


@pytest.mark.long
def test_bytes_sent_are_those_of_the_formula(english):
    found = fit_on(2, english, merge_every=200, first_rows=16, **SMALL)[0]
    rows, row_bytes = len(found), 2 * 20 * 4
    merges = -(-max(on_each(2, lambda machines: _shard_size(english, machines))) // 200)  # of an epoch
    numbers = [number for number in range(1, 2 * merges + 1) if number % merges]
    exact = sum(rows_to_merge(number, 16, rows) for number in numbers) + 2 * rows
    assert found.settings["bytes_sent"] == exact * row_bytes
    formula = 2 * merges * 16 * (np.log2(rows / 16) / 2 + 1) + 2 * rows  # that of the guide
    assert exact == pytest.approx(formula, rel=0.1)


def _shard_size(corpus, machines):
    """The number of ids of a machine."""
    options = TextOptions(workers=1)
    with scratch_folder("test") as folder:
        return encode_shard(corpus, shard_of(corpus, machines, options), folder, machines, options).size


def test_text_with_tags_of_html_is_named_by_the_first_machine(tmp_path):
    (tmp_path / "pages.txt").write_text("<p>the cat <b>sat</b></p>\n" * 40)
    options = TextOptions(min_count=1)
    with pytest.warns(CorpusWarning, match=r"tags of HTML \(<b>, <p>\)") as warned:
        on_each(2, lambda machines: shard_of(tmp_path / "pages.txt", machines, options))
    assert len(warned) == 1


def test_a_given_rate_is_kept_and_a_wide_window_lowers_the_default(english, tmp_path):
    assert fit_on(8, english, alpha=0.05, epochs=1, dim=4, workers=1)[0].settings["alpha"] == 0.05
    lowered = []
    reports = Reports(on_lowered_rate=lambda *rates: lowered.append(rates))
    lines = np.random.default_rng(0).integers(0, 500, (16, 1000))
    (tmp_path / "text").write_text("\n".join(" ".join(map(str, line)) for line in lines))
    wide = {"window": 100, "shrink_windows": False, "sample": 0}
    found = fit_on(8, tmp_path / "text", **wide, epochs=1, dim=4, workers=1, reports=reports)[0]
    assert found.settings["alpha"] == lowered[0][0] < 0.035 == lowered[0][1]


def test_a_shard_without_frequent_words_ends_all(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("a b c d\n" * 100 + "".join(f"word{number}\n" for number in range(200)))
    assert_failed(
        fit_on(2, file, dim=4), CorpusError, "the part of the text for machine 2 of 2, " + str(file) + " from byte "
    )


def test_fewer_parts_than_machines_are_refused(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt.bz2").write_bytes(bz2.compress(b"a b a b\n" * 50))
    assert_failed(fit_on(3, tmp_path), CorpusError, "the text has 2 parts for 3 machines")


def test_rows_that_do_not_fit_are_refused(tmp_path):
    words = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // (65_536 * 8) + 1  # two matrices of float32
    (tmp_path / "text").write_text("\n".join(f"w{number} the" for number in range(words)))
    found = fit_on(2, tmp_path / "text", **SMALL | {"dim": 65_536, "min_count": 1})
    assert_failed(found, UsageError, "GiB of memory")


def test_a_machine_that_diverges_ends_all(english, tmp_path):
    found = fit_on(2, english, **SMALL, alpha=9, output=tmp_path / "table")
    assert_failed(found, FitDiverged, "alpha=9 is too high")
    assert not (tmp_path / "table").exists()


def test_a_machine_that_cannot_read_its_part_ends_all(tmp_path):
    whole = bz2.compress(np.random.default_rng(0).bytes(5000).hex().encode())
    (tmp_path / "a.txt.bz2").write_bytes(whole)
    (tmp_path / "b.txt.bz2").write_bytes(whole[:-100])
    assert_failed(fit_on(2, tmp_path, **SMALL), CorpusError, str(tmp_path / "b.txt.bz2"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"phrases": 2}, "several machines learn rows of words"),
        ({"tokens": "bytes"}, "several machines learn rows of words"),
        ({"freeze": "old"}, "freeze='old' is for a fit that continues"),
        ({"merge_every": 0}, "merge_every must be at least 1, got 0"),
        ({"first_rows": 0}, "first_rows must be at least 1, got 0"),
        ({"merging": "sum"}, "merging must be one of mean, adaptive, not 'sum'"),
    ],
)
def test_options_of_one_machine_are_refused(english, options, message):
    with pytest.raises(UsageError, match=message):
        fit_machines(english, **options)


def test_a_process_that_is_not_started_is_reported():
    with pytest.raises(RowspaceError, match=r"^not all processes have found each other; .* machine 1 of 2"):
        Machines(HashStore(), 0, 2, connecting=timedelta(seconds=0.2))


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"RANK": "0"}, "WORLD_SIZE is set, but MASTER_ADDR is not; start the processes with torchrun"),
        (
            {"RANK": "first", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"},
            r"RANK and WORLD_SIZE must be numbers \(.*\); start the processes with torchrun",
        ),
    ],
)
def test_variables_that_torchrun_would_set_are_checked(english, variables, message, monkeypatch):
    for name, value in ({"WORLD_SIZE": "2"} | variables).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=f"^{message}"):
        fit_machines(english)


@contextmanager
def two_processes(*arguments):
    """Two processes of `rowspace fit`, as torchrun starts them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    variables = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    command = [sys.executable, "-W", "ignore", "-m", "rowspace", "fit", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    both = [subprocess.Popen(command, env=os.environ | variables | {"RANK": str(rank)}, **pipes) for rank in range(2)]
    try:
        yield both
    finally:
        for each in both:
            each.kill()
            each.communicate()


def until_learning(process):
    """Wait until a process reports that it learns."""
    for line in process.stderr:
        if "learning:" in line:
            return
    raise AssertionError("it has not learned")


def test_two_processes_save_one_table(english, tmp_path):
    arguments = (english, "-o", tmp_path / "table", "--dim", 20, "--epochs", 2, "--workers", 1, "--merge-every", 5000)
    with two_processes(*arguments) as (first, second):
        printed, messages = first.communicate()
        assert first.returncode == 0, messages
        assert second.communicate() == ("", "")
    assert "2 processes, each of which gave" in printed
    simulated = fit_on(2, english, merge_every=5000, **SMALL)[0]
    np.testing.assert_array_equal(rs.load(tmp_path / "table").rows, simulated.rows)


@pytest.mark.long
@pytest.mark.parametrize("killed", [0, 1])
def test_a_killed_process_ends_the_other_with_one_message_and_the_fit_is_resumed(english, tmp_path, killed):
    arguments = english, "-o", tmp_path / "table", "--dim", 20, "--epochs", 300, "--workers", 1
    with two_processes(*arguments) as both:
        until_learning(both[0])
        both[killed].kill()
        began = time.monotonic()
        _, messages = both[1 - killed].communicate(timeout=60)
        assert time.monotonic() - began < 10
    said = [line for line in messages.splitlines() if "learning:" not in line]
    assert len(said) == 1
    assert said[0].startswith("rowspace: the connection to another process is lost: it has ended")
    assert "start it again with --resume" in said[0]
    assert both[1 - killed].returncode == 1
    assert not (tmp_path / "table").exists()
    with two_processes(*arguments, "--resume") as (first, _):
        messages = first.communicate()[1]
    expected = fit_on(2, english, dim=20, epochs=300, workers=1)[0]
    np.testing.assert_array_equal(rs.load(tmp_path / "table").rows, expected.rows, err_msg=messages)


@pytest.mark.long
def test_an_interrupted_process_ends_both_and_the_table_is_saved(english, tmp_path):
    with two_processes(english, "-o", tmp_path / "table", "--epochs", 10_000, "--workers", 1) as both:
        until_learning(both[0])
        both[1].send_signal(signal.SIGINT)
        _, messages = both[0].communicate(timeout=60)
        assert both[1].communicate(timeout=60)[1] == ""
    said = [line for line in messages.splitlines() if "learning:" not in line]
    assert len(said) == 1
    assert "the table so far is saved in" in said[0]
    assert "the same command with --resume continues from" in said[0]
    assert rs.load(tmp_path / "table").dim == 100
