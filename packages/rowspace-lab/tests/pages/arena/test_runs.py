"""The job that runs an arena: its frames, what it saves, how it continues, and what is refused."""

import gc
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rowspace as rs
from rowspace._base.work_folder import locked
from rowspace.errors import MissingExtraError, RowspaceError, UsageError
from rowspace_lab.experiments import read_arena
from rowspace_lab.jobs.kinds import Progress
from rowspace_lab.lab import Lab
from rowspace_lab.pages.arena.routes import routes
from rowspace_lab.pages.arena.runs import BUDGETS, job_kinds, options_of, output_folder
from rowspace_lab.pages.arena.saved import own_folder
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply

TINY = {
    "quick": True, "seconds": 0.02, "layers": 1, "megabytes": 0.05, "strategies": ["bytes", "patches-32"],
    "tasks": ["images"], "curve": False, "workers": 1,
}  # fmt: skip
SMALL = {"quick": TINY, "5": {"seconds": 5.0}}


def run(lab: Lab, **parameters: str) -> list[Progress | Reply]:
    """Run the job in this process."""
    kind = job_kinds(SMALL)["arena"]
    read = kind.read(lab, Query({name: [value] for name, value in parameters.items()}))
    return list(kind.run(**read))


def plan(lab: Lab) -> Mapping[str, Any]:
    """What the page says of an arena before it runs."""
    return routes(SMALL)["arena/plan"](lab, Query())


@pytest.mark.long
def test_frames_follow_each_run_and_a_second_job_runs_nothing_again(lab: Lab, ask) -> None:
    before = tempfile.gettempdir()
    yielded = run(lab)
    id = plan(lab)["id"]
    frames = [item.meta for item in yielded if isinstance(item, Reply)]
    assert frames == [{"id": id, "done": done, "total": 2, "finished": False} for done in (0, 1, 2)] + [
        {"id": id, "done": 2, "total": 2, "finished": True}
    ]
    sentences = [item.sentence for item in yielded if isinstance(item, Progress)]
    assert sentences[:2] == ["reading the text", "0 of 2 runs; the first ones have begun"]
    assert sentences[2].startswith("1 of 2 runs; the last one: images/bytes/1, 0.")
    assert tempfile.gettempdir() == before

    (folder,) = own_folder().iterdir()
    document = read_arena(folder)
    shown = ask(lab, "arena/result", id=id).meta
    assert [entry["quality"] for entry in shown["entries"]] == [entry["quality"] for entry in document["entries"]]
    assert plan(lab)["saved"] == 2

    assert [item.meta["done"] for item in run(lab) if isinstance(item, Reply)] == [2, 2]
    more = [item.meta["done"] for item in run(lab, seeds="3") if isinstance(item, Reply)]
    assert more == [2, 3, 4, 5, 6, 6]  # the first seed is kept
    assert ask(lab, "arena/result", id=id).meta["seeds"] == 3


def test_budgets_and_scales_have_their_own_folders() -> None:
    options = [
        options_of(BUDGETS, Query({"budget": [budget], "scale": [scale]}))
        for budget in ("quick", "5")
        for scale in ("32", "64")
    ]
    assert len({output_folder(each) for each in options}) == 4
    seeds = options_of(BUDGETS, Query({"budget": ["5"], "seeds": ["5"]}))
    assert output_folder(seeds) == output_folder(options[2])


def test_second_writer_to_a_folder_is_an_error(lab: Lab) -> None:
    folder = output_folder(TINY)
    folder.mkdir(parents=True)
    with locked(folder), pytest.raises(RowspaceError, match="another arena is writing to"):
        run(lab)


def test_unknown_budget_is_refused(lab: Lab) -> None:
    with pytest.raises(UsageError, match="budget must be one of quick, 5, not '7'"):
        run(lab, budget="7")


def test_missing_packages_are_named_with_the_command(lab: Lab, monkeypatch: pytest.MonkeyPatch, ask) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # Python then neither finds nor imports it
    with pytest.raises(MissingExtraError, match=r"An arena needs PyTorch.*pip install 'rowspace\[torch,analysis\]'"):
        run(lab)
    assert "pip install" in ask(lab, "arena/results").meta["missing"]


def test_temporary_files_are_removed_with_the_lab() -> None:
    lab = Lab(rs.Table(["a"], np.ones((1, 1))), "some-table")
    scratch = Path(job_kinds(SMALL)["arena"].read(lab, Query())["scratch"])
    assert scratch.is_dir()
    del lab
    gc.collect()
    assert not scratch.exists()
