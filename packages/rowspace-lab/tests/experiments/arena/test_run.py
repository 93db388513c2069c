"""A whole arena in worker processes: its document, its results file, continuing it, and what stops it."""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rowspace._base.work_folder import locked
from rowspace.errors import FileFormatError, RowspaceError, UsageError
from rowspace_lab.experiments import read_arena, run_arena
from rowspace_lab.experiments.arena.runs.pool import run_requests
from rowspace_lab.experiments.arena.runs.saved import RESULTS_NAME, SavedResults
from rowspace_lab.experiments.arena.runs.worker import Request

TINY = {
    "seconds": 0.02, "layers": 1, "scale": 64, "strategies": ["bytes", "patches-32"], "tasks": ["images"],
    "quick": True, "curve": False,
}  # fmt: skip


@pytest.mark.long
def test_a_signal_stops_the_arena_and_the_next_call_runs_what_is_missing(documents, tmp_path):
    ran = []

    def stop(*_news):
        signal.raise_signal(signal.SIGTERM)

    with pytest.raises(RowspaceError, match="stopped after 1 run of 2; the same call with the same output continues"):
        run_arena(documents, output=tmp_path, on_cell=stop, workers=1, **TINY)
    before = SavedResults(tmp_path, {}).cells
    assert list(before) == ["images/bytes/1"]
    entries = read_arena(tmp_path)["entries"]
    assert [(entry["strategy"], entry["failed"]) for entry in entries] == [("bytes", []), ("patches-32", ["not run"])]

    result = run_arena(documents, output=tmp_path, on_cell=lambda *news: ran.append(news[:3]), workers=1, **TINY)
    assert ran == [(2, 2, "images/patches-32/1")]
    assert [entry["seeds"] for entry in result["entries"]] == [1, 1]
    assert json.loads(json.dumps(result)) == result == read_arena(tmp_path)
    assert SavedResults(tmp_path, {}).cells["images/bytes/1"] == before["images/bytes/1"]

    ran.clear()
    listeners = dict.fromkeys(("on_start", "on_cell"), lambda *news: ran.append(news))
    assert run_arena(documents, output=tmp_path, **listeners, **TINY) == result
    assert ran == [(2, 2)]

    with pytest.raises(UsageError, match=r"has runs with seconds=0.02, not 0.5; give the same options and text"):
        run_arena(documents, output=tmp_path, **TINY | {"seconds": 0.5})
    with pytest.raises(UsageError, match="has runs with text="):
        run_arena(documents[1:], output=tmp_path, **TINY)


@pytest.mark.long
def test_more_seeds_are_run_in_several_workers(documents, tmp_path):
    run_arena(documents, output=tmp_path, **TINY)
    ran = []
    options = TINY | {"seeds": 2, "workers": 2}
    result = run_arena(documents, output=tmp_path, on_cell=lambda *news: ran.append(news[2]), **options)
    assert set(ran) == {"images/bytes/2", "images/patches-32/2"}
    assert [entry["spread_over"] for entry in result["entries"]] == ["seeds", "seeds"]


@pytest.mark.long
def test_a_worker_that_dies_fails_its_run_only(documents, options, tmp_path):
    job = {"options": {"layers": 1, "seconds": 0.02, "scale": 64, "tasks": ["images"]}, "documents": documents}
    (tmp_path / "job.json").write_text(json.dumps(job))
    requests = [Request("images", "no such strategy", [1]), Request("images", "patches-32", [1])]
    results = list(run_requests(tmp_path, requests, workers=1, is_stopped=lambda: False))
    assert results[0] == {"key": "images/no such strategy/1", "failed": "KeyError: 'no such strategy'"}
    assert (results[1]["key"], "cell" in results[1]) == ("images/patches-32/1", True)


def test_failed_runs_are_run_again(tmp_path):
    saved = SavedResults(tmp_path, {"seconds": 1})
    saved.add("images/bytes/1", {"failed": "its process ended with status -9, perhaps for lack of memory"})
    saved.add("images/bytes/2", {"quality": 0.5})
    assert SavedResults(tmp_path, {"seconds": 1}).finished == {"images/bytes/2"}


def test_a_damaged_or_foreign_results_file_is_refused(tmp_path):
    path = tmp_path / RESULTS_NAME
    path.write_text('{"format": 1, "cells"')
    with pytest.raises(FileFormatError, match="delete it to start again"):
        SavedResults(tmp_path, {})
    path.write_text('{"format": 4, "cells": {}}')
    for reading in (lambda: SavedResults(tmp_path, {}), lambda: read_arena(tmp_path)):
        with pytest.raises(FileFormatError, match="not a results file of this version of rowspace; upgrade with pip"):
            reading()


def test_a_changed_number_is_noticed(tmp_path):
    path = tmp_path / RESULTS_NAME
    SavedResults(tmp_path, {"seconds": 1}).add("images/bytes/2", {"quality": 0.5})
    text = path.read_text()
    for changed in (text.replace("0.5", "0.6"), text.replace('"format": 3', '"format": 2')):
        path.write_text(changed)
        for reading in (lambda: SavedResults(tmp_path, {"seconds": 1}), lambda: read_arena(tmp_path)):
            with pytest.raises(FileFormatError, match=r"arena.json: is damaged \(its checksum differs\)"):
                reading()
    path.write_text('{"format": 2, "settings": {"seconds": 1}, "cells": {"images/bytes/1": 7}}')
    with pytest.raises(FileFormatError, match=r"arena.json: is damaged; delete it to start again"):
        SavedResults(tmp_path, {"seconds": 1})


def test_results_of_an_older_version_are_continued_but_not_read(tmp_path):
    """The first version saved no summary."""
    path = tmp_path / RESULTS_NAME
    path.write_text('{"format": 1, "settings": {"seconds": 1}, "cells": {"images/bytes/1": {"quality": 0.5}}}')
    with pytest.raises(FileFormatError, match="run the arena again with the same options, text and output"):
        read_arena(tmp_path)
    saved = SavedResults(tmp_path, {"seconds": 1}, lambda cells: {"entries": list(cells)})
    saved.save()
    assert read_arena(tmp_path) == {"entries": ["images/bytes/1"]}


@pytest.mark.long
def test_workers_end_with_the_process_that_started_them(tmp_path):
    """As when a job of the workbench is killed, in a run of 1000 s."""
    options = TINY | {"seconds": 1000, "workers": 1}
    code = (
        f"from rowspace_lab.experiments import run_arena\nrun_arena({['a text of some words ' * 50]!r}, **{options!r})"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment)
    try:
        while not (workers := children(process.pid)):
            assert process.poll() is None
        ended = os.pidfd_open(workers[0])  # readable once the process has ended
    finally:
        process.kill()
        process.wait()
    assert select.select([ended], [], [], 60)[0]
    os.close(ended)


def children(process):
    lists = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for each in lists for child in each.read_text().split()]


def test_two_arenas_do_not_write_to_one_folder(documents, tmp_path):
    with locked(tmp_path), pytest.raises(RowspaceError, match="another arena is writing to"):
        run_arena(documents, output=tmp_path, **TINY)


def test_unknown_options_are_refused():
    with pytest.raises(UsageError, match="run_arena has no option 'second'; did you mean seconds"):
        run_arena(second=1)
