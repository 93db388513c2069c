"""Ray starts the processes of a fit: the rows are those of torchrun's, and one sentence says why it cannot."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import ray
from tests.scale.fit.simulated import fit_on

import rowspace as rs
from rowspace.errors import CorpusError, FitInterrupted, RowspaceError, UsageError
from rowspace.learn import Reports, run_folder_of
from rowspace.scale import fit_on_ray
from rowspace.scale.fit.fit_on_ray import _Process
from rowspace.scale.mapping import versions

pytestmark = pytest.mark.filterwarnings("ignore")  # those of Ray

OPTIONS = {"dim": 20, "workers": 1}


@pytest.fixture(scope="module")
def cluster():
    """A cluster of Ray with three places."""
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


@pytest.mark.long
@pytest.mark.usefixtures("cluster")
class TestCluster:
    """Fits on a cluster."""

    def test_rows_are_those_of_other_processes_and_progress_is_reported(self, english, tmp_path, monkeypatch):
        seen = {"bytes": 0, "vocabularies": []}
        reports = Reports(
            on_bytes=lambda count: seen.update(bytes=seen["bytes"] + count),
            on_vocabulary=lambda ids: seen["vocabularies"].append(ids.vocabulary),
        )
        monkeypatch.chdir(tmp_path)
        Path("text").symlink_to(english)
        found = fit_on_ray("text", machines=2, output="table", epochs=2, merge_every=5000, reports=reports, **OPTIONS)
        expected = fit_on(2, english, epochs=2, merge_every=5000, **OPTIONS)[0]
        np.testing.assert_array_equal(found.rows, expected.rows)
        np.testing.assert_array_equal(rs.load(tmp_path / "table").outputs, expected.outputs)
        assert found.settings["machines"] == 2
        assert 0 < seen["bytes"] < english.stat().st_size
        assert seen["vocabularies"] == [expected.vocabulary]

    def test_a_process_that_is_killed_ends_all_and_the_fit_is_resumed(self, english, tmp_path):
        arguments = {"machines": 2, "output": tmp_path / "table", "epochs": 300, **OPTIONS}
        killed = []

        def kill(_progress):
            if not killed and [*run_folder_of(tmp_path / "table").glob("*.safetensors")]:
                killed.append(learning_processes()[-1])
                os.kill(killed[0], signal.SIGKILL)

        with pytest.raises(RowspaceError, match=r"^the connection to another process is lost: .* with --resume"):
            fit_on_ray(english, reports=Reports(on_progress=kill), **arguments)
        assert not (tmp_path / "table").exists()
        found = fit_on_ray(english, resume=True, **arguments)
        np.testing.assert_array_equal(found.rows, fit_on(2, english, epochs=300, **OPTIONS)[0].rows)

    def test_ctrl_c_saves_the_table_so_far(self, english, tmp_path):
        arguments = {"machines": 2, "output": tmp_path / "table", "epochs": 300, **OPTIONS}
        interrupt = Reports(on_progress=interrupt_once())
        with pytest.raises(
            FitInterrupted, match=r"^stopped after [\d,]+ words; the table so far is saved in '.*/table'"
        ):
            fit_on_ray(english, reports=interrupt, **arguments)
        table = rs.load(tmp_path / "table")
        assert np.isfinite(table.rows).all()
        assert table.rows.any()
        assert table.settings["machines"] == 2

    def test_what_the_cluster_cannot_do_is_one_sentence(self, english, tmp_path):
        with pytest.raises(RowspaceError, match=r"^the cluster has 3 places of 1 processor, and 4 machines"):
            fit_on_ray(english, machines=4, output=tmp_path / "table", workers=1)
        with pytest.raises(RowspaceError, match=r"^the cluster has 1 place of 2 processors, and 2 machines"):
            fit_on_ray(english, machines=2, output=tmp_path / "table", workers=2)
        (tmp_path / "text").write_text("one line\n")
        with pytest.raises(CorpusError, match=r"^the text has 1 part for 2 machines"):
            fit_on_ray(tmp_path / "text", machines=2, output=tmp_path / "table", workers=1)
        assert [path.name for path in tmp_path.iterdir()] == ["text"]


def interrupt_once():
    """Return a callback that sends this process the signal of Ctrl-C when it is first called."""
    sent = []

    def interrupt(_reported):
        if not sent:
            sent.append(signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    return interrupt


def learning_processes():
    """Return the ids of the processes of a fit that this process has started by Ray, which gives them names."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            found[int(path.name)] = parent, (path / "cmdline").read_bytes()
    return [number for number, (_, name) in found.items() if b"_Process.fit" in name and is_child(number, found)]


def is_child(number, found):
    """Whether a process or one of its parents was started by this process."""
    parent = found.get(number, (0, b""))[0]
    return parent == os.getpid() or (parent > 0 and is_child(parent, found))


def test_a_process_stops_only_while_it_learns(english, tmp_path):
    process = _Process()
    assert not process.stop()
    keywords = {"output": tmp_path / "table", "epochs": 3000, **OPTIONS}
    with ThreadPoolExecutor(1) as pool:
        fit = pool.submit(process.fit, str(english), process.open_store(1), (0, 1), [], keywords)
        while not process.stop() and not fit.done():
            time.sleep(0.01)
    with pytest.raises(FitInterrupted, match=r"^stopped after [\d,]+ words; the table so far is saved in '.*/table'"):
        fit.result()


def test_a_worker_says_what_it_does_not_see(english, tmp_path):
    assert _Process().check(versions(), [str(english)]) == ""
    sentence = _Process().check(versions(), [str(english), str(tmp_path / "missing")])
    assert f"does not see {str(tmp_path / 'missing')!r}; name paths that all machines see, or URLs" in sentence
    assert "install the same versions on all machines" in _Process().check("rowspace 0 and Python 2", [])


@pytest.mark.parametrize(
    ("corpus", "machines", "message"),
    [
        ("text", 0, "machines must be at least 1, got 0"),
        ("-", 2, "standard input"),
        (["-"], 2, "standard input"),
        ([], 2, "only files are read on several machines"),
    ],
)
def test_a_wrong_call_is_refused_before_ray_starts(corpus, machines, message, tmp_path):
    with pytest.raises(UsageError, match=f"^{message}"):
        fit_on_ray(corpus, machines=machines, output=tmp_path / "table")
