"""The spare process: it is prepared before its job comes, and ends unused, with the server, or for another kind."""

import asyncio
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rowspace_lab.jobs.job import Job
from rowspace_lab.jobs.jobs import Jobs, Limits
from rowspace_lab.jobs.processes import Spare
from rowspace_lab.lab import Lab
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import decode


@pytest.fixture
def jobs(small_lab: Callable[..., Lab], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Jobs]:
    """`jobs(**limits)`: the jobs of a small table, inside an event loop."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1])
    from job_kinds import JOB_KINDS

    lab = small_lab(["a"], np.ones((1, 1), np.float32))

    def make(**limits: float) -> Jobs:
        made = Jobs(JOB_KINDS, Limits(**limits))
        made.start = partial(made.start, lab)
        return made

    return make


async def told(jobs: Jobs, kind: str, **parameters: object) -> dict[str, Any]:
    """What the frame of a job tells, when its task is over."""
    job = await start(jobs, kind, **parameters)
    assert job.task is not None
    await job.task
    return decode(job.frames[1].read_bytes()).meta


async def start(jobs: Jobs, kind: str, **parameters: object) -> Job:
    return await jobs.start(kind, Query({name: [str(value)] for name, value in parameters.items()}))


def test_next_job_of_a_kind_finds_a_prepared_process(jobs: Callable[..., Jobs]) -> None:
    async def test() -> None:
        running = jobs()
        first, second, third = [await told(running, "tells", number=number) for number in (1, 2, 3)]
        await running.stop()
        assert first["ready"] == []
        assert second["ready"] == [second["process"]]
        assert third["ready"] == [third["process"]]
        assert len({each["process"] for each in (first, second, third)}) == 3

    asyncio.run(test())


def test_first_job_finds_a_process_that_was_prepared_on_request(jobs: Callable[..., Jobs]) -> None:
    async def test() -> None:
        running = jobs()
        await running.prepare("tells")
        await running.prepare("tells")  # there is one already
        reply = await told(running, "tells")
        assert reply["ready"] == [reply["process"]]
        await running.stop()

    asyncio.run(test())


def test_cancelled_job_leaves_a_prepared_process(jobs: Callable[..., Jobs]) -> None:
    async def test() -> None:
        running = jobs()
        await running.cancel(await start(running, "tells"))
        reply = await told(running, "tells")
        assert reply["ready"] == [reply["process"]]
        await running.stop()

    asyncio.run(test())


def test_process_is_not_prepared_while_a_job_runs(jobs: Callable[..., Jobs], tmp_path: Path) -> None:
    async def test() -> None:
        running = jobs()
        await start(running, "waits", file=tmp_path / "never")
        await running.prepare("tells")
        assert (await told(running, "tells"))["ready"] == []
        await running.stop()

    asyncio.run(test())


def test_job_runs_although_its_process_could_not_be_prepared(
    jobs: Callable[..., Jobs], capfd: pytest.CaptureFixture[str]
) -> None:
    async def test() -> None:
        running = jobs()
        await running.prepare("not-ready")
        assert (await told(running, "not-ready"))["ready"] == []
        await running.stop()

    asyncio.run(test())
    assert "ZeroDivisionError: a secret detail" in capfd.readouterr().err


def test_unused_process_ends(jobs: Callable[..., Jobs]) -> None:
    async def test() -> None:
        prepare = jobs().kinds["tells"].prepare
        spare = Spare(idle_seconds=0.0)
        process = await spare.start(prepare)
        assert await process.wait() == -signal.SIGKILL
        assert spare.take(prepare) is None
        await spare.stop()

    asyncio.run(test())


def test_process_ends_with_the_jobs_and_for_another_preparation(jobs: Callable[..., Jobs]) -> None:
    async def test() -> None:
        kinds = jobs().kinds
        spare = Spare()
        first = await spare.start(kinds["tells"].prepare)
        second = await spare.start(kinds["not-ready"].prepare)
        assert first.returncode == -signal.SIGKILL
        assert spare.take(kinds["tells"].prepare) is None
        await spare.stop()
        with pytest.raises(ProcessLookupError):
            os.kill(second.pid, 0)

    asyncio.run(test())
