"""Events, limits and termination of jobs; each job is a separate process."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace.serve.request import HttpError
from rowspace_lab.jobs.job import Event, Job
from rowspace_lab.jobs.jobs import Jobs, Limits
from rowspace_lab.lab import Lab
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import decode

Run = Callable[..., None]
ROWS = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


@pytest.fixture
def run(small_lab: Callable[..., Lab], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run(test, **limits)`: run a coroutine with the jobs of a small table, then stop them."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1])
    from job_kinds import JOB_KINDS

    lab = small_lab(["a", "b"], ROWS)

    async def to_the_end(test: Callable[[Jobs], Coroutine[Any, Any, None]], **limits: int) -> None:
        jobs = Jobs(JOB_KINDS, Limits(**limits))
        jobs.start = partial(jobs.start, lab)
        try:
            await asyncio.wait_for(test(jobs), 60)
        finally:
            await jobs.stop()

    return lambda test, **limits: asyncio.run(to_the_end(test, **limits))


def query_of(**parameters: object) -> Query:
    return Query({name: [str(value)] for name, value in parameters.items()})


async def all_events(job: Job) -> list[Event]:
    return [event async for event in job.follow()]


async def until(job: Job, name: str) -> Event:
    async for found in job.follow():
        if found.name == name:
            return found
    pytest.fail(f"the job ended without the event {name}")


async def process_of(job: Job) -> int:
    frame = (await until(job, "frame")).data["frame"]
    return decode(job.frames[frame].read_bytes()).meta["process"]


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_job_reports_progress_and_keeps_its_frames(run: Run) -> None:
    async def test(jobs: Jobs) -> None:
        job = await jobs.start("powers", query_of(most=4))
        events = await all_events(job)
        assert events[0] == (1, "progress", {"fraction": 0.0, "sentence": "waiting: 2 jobs run at a time"})
        assert [one.serial for one in events] == sorted({one.serial for one in events})
        *_, progress, frame, done = events
        assert progress.data == {"fraction": 1.0, "sentence": "power 4 of 4"}
        assert (frame.data, done.name, done.data) == ({"frame": 4}, "done", {"frames": 4})
        for power in range(1, 5):
            reply = decode(job.frames[power].read_bytes())
            assert reply.meta == {"power": power}
            np.testing.assert_array_equal(reply.arrays["rows"], ROWS**power)

    run(test)


def test_late_follower_gets_the_newest_event_of_each_name(run: Run) -> None:
    async def test(jobs: Jobs) -> None:
        job = await jobs.start("powers", query_of(most=4))
        await until(job, "done")
        assert [event.name for event in await all_events(job)] == ["progress", "frame", "done"]
        assert [event.name async for event in job.follow(job.serial - 1)] == ["done"]
        assert [event async for event in job.follow(job.serial)] == []

    run(test)


def test_equal_parameters_reuse_a_job_unless_it_failed(run: Run) -> None:
    async def test(jobs: Jobs) -> None:
        first = await jobs.start("powers", query_of())
        assert await jobs.start("powers", query_of(most=3)) is first
        await until(first, "done")
        assert await jobs.start("powers", query_of()) is first
        assert await jobs.start("powers", query_of(most=2)) is not first
        failed = await jobs.start("fails", query_of(how="sentence"))
        await until(failed, "failed")
        assert await jobs.start("fails", query_of(how="sentence")) is not failed
        assert not failed.folder.exists()

    run(test)


def test_two_jobs_share_a_dependency(run: Run, tmp_path: Path) -> None:
    async def test(jobs: Jobs) -> None:
        both = [await jobs.start("squares", query_of(file=tmp_path / "go", number=number)) for number in (1, 2)]
        first = await jobs.start("copies", query_of(file=tmp_path / "go"))
        await process_of(first)
        await asyncio.to_thread((tmp_path / "go").write_bytes, b"")
        for job in both:
            progress = [one.data for one in await all_events(job) if one.name == "progress"]
            fractions = [data["fraction"] for data in progress]
            assert fractions == sorted(fractions)
            assert fractions[-1] == pytest.approx(0.3 + 0.7 * 0.5)
            reply = decode(job.frames[max(job.frames)].read_bytes())
            np.testing.assert_array_equal(reply.arrays["squared"], ROWS**2)
        assert len({both[0].number, both[1].number, first.number}) == 3

    run(test)


def test_job_fails_with_the_error_of_its_dependency(run: Run) -> None:
    async def test(jobs: Jobs) -> None:
        failed = await until(await jobs.start("squares", query_of(file="")), "failed")
        assert failed.data["error"] == "the first job failed"

    run(test)


def test_dependency_is_cancelled_with_its_last_dependent(run: Run, tmp_path: Path) -> None:
    async def test(jobs: Jobs) -> None:
        both = [await jobs.start("squares", query_of(file=tmp_path / "never", number=number)) for number in (1, 2)]
        first = await jobs.start("copies", query_of(file=tmp_path / "never"))
        process = await process_of(first)
        await jobs.cancel(both[0])
        assert is_alive(process)
        await jobs.cancel(both[1])
        assert not is_alive(process)
        assert first.has("failed")

    run(test)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("sentence", "two rows are too few"),
        ("mistake", "an internal error"),
        ("abort", f"the process of this job ended by signal {signal.SIGABRT:d}; start it again"),
        ("exit", "the process of this job ended with status 3; start it again"),
    ],
)
def test_failed_job_reports_its_error(how: str, message: str, run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    async def test(jobs: Jobs) -> None:
        job = await jobs.start("fails", query_of(how=how))
        *_, progress, failed = await all_events(job)
        assert progress.data["fraction"] == 0.0
        assert failed.name == "failed"
        assert failed.data["error"].startswith(message)

    run(test)
    assert ("ZeroDivisionError: a secret detail" in capfd.readouterr().err) == (how == "mistake")


def test_error_before_the_process_starts_is_an_event(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    async def test(jobs: Jobs) -> None:
        failed = await until(await jobs.start("breaks", query_of()), "failed")
        assert failed.data["error"].startswith("an internal error")

    run(test)
    assert "AttributeError: 'Table' object has no attribute 'nonsense'" in capfd.readouterr().err


def test_killed_worker_is_reported(run: Run, tmp_path: Path) -> None:
    async def test(jobs: Jobs) -> None:
        job = await jobs.start("waits", query_of(file=tmp_path / "none"))
        os.kill(await process_of(job), signal.SIGKILL)
        failed = await until(job, "failed")
        assert failed.data["error"] == "the process of this job ended by signal 9; start it again"

    run(test)


def test_two_jobs_run_at_once_and_others_are_queued(run: Run, tmp_path: Path) -> None:
    async def test(jobs: Jobs) -> None:
        running = [await jobs.start("waits", query_of(file=tmp_path / name)) for name in ("first", "second")]
        for job in running:
            await process_of(job)
        third = await jobs.start("powers", query_of())
        await asyncio.to_thread((tmp_path / "second").write_bytes, b"")
        async for found in third.follow():
            if found.name == "progress" and not found.data["sentence"].startswith("waiting"):
                assert running[1].is_over  # the third job did not begin earlier
                break
        assert (await until(third, "done")).data == {"frames": 3}
        assert not running[0].is_over

    run(test)


def test_too_many_unfinished_jobs_are_refused(run: Run, tmp_path: Path) -> None:
    async def test(jobs: Jobs) -> None:
        first = await jobs.start("waits", query_of(file=tmp_path / "first"))
        await jobs.start("waits", query_of(file=tmp_path / "second"))
        with pytest.raises(HttpError, match="2 jobs are already running or waiting; wait, or cancel one"):
            await jobs.start("powers", query_of())
        await jobs.cancel(first)
        await jobs.start("powers", query_of())

    run(test, unfinished=2)


def test_old_finished_jobs_are_deleted(run: Run) -> None:
    async def test(jobs: Jobs) -> None:
        done = [await jobs.start("powers", query_of(most=most)) for most in (1, 2)]
        for job in done:
            await until(job, "done")
        await jobs.start("powers", query_of(most=3))
        assert [job.folder.exists() for job in done] == [False, True]
        assert jobs.find(2) is done[1]
        with pytest.raises(HttpError, match="there is no job with this number"):
            jobs.find(1)

    run(test, finished=1)


def test_old_frames_are_deleted(run: Run) -> None:
    async def test(jobs: Jobs) -> None:
        job = await jobs.start("powers", query_of(most=5))
        await job.task
        assert list(job.frames) == [5]
        assert sorted(path.name for path in job.folder.iterdir()) == ["5.frame", "job.json"]

    run(test, frame_bytes=1)


def test_cancellation_ends_the_process_and_event_streams(run: Run, tmp_path: Path) -> None:
    async def test(jobs: Jobs) -> None:
        job = await jobs.start("waits", query_of(file=tmp_path / "none"))
        process = await process_of(job)
        following = job.follow()
        await anext(following)
        await jobs.cancel(job)
        *_, last = [event async for event in following]
        assert (last.name, last.data) == ("failed", {"error": "this job was cancelled"})
        assert not is_alive(process)
        assert not job.folder.exists()
        with pytest.raises(HttpError):
            jobs.find(job.number)

    run(test)


def test_stop_waits_for_the_process_of_a_dependency(run: Run, tmp_path: Path) -> None:
    async def test(jobs: Jobs) -> None:
        first = await jobs.start("copies", query_of(file=tmp_path / "never"))
        process = await process_of(first)
        second = await jobs.start("squares", query_of(file=tmp_path / "never"))
        await until(second, "progress")
        await jobs.stop()
        assert not is_alive(process)

    run(test)


def test_queued_job_can_be_cancelled(run: Run, tmp_path: Path) -> None:
    async def test(jobs: Jobs) -> None:
        waiting = [await jobs.start("waits", query_of(file=tmp_path / str(number))) for number in range(3)]
        await jobs.cancel(waiting[2])
        assert waiting[2].is_over

    run(test)


def test_stop_ends_processes_and_deletes_files(run: Run, tmp_path: Path) -> None:
    processes, folders = [], []

    async def test(jobs: Jobs) -> None:
        job = await jobs.start("waits", query_of(file=tmp_path / "none"))
        processes.append(await process_of(job))
        folders.append(job.folder.parent)
        assert folders[0].exists()

    run(test)
    assert (is_alive(processes[0]), folders[0].exists()) == (False, False)


def test_invalid_parameters_start_no_job(run: Run) -> None:
    async def test(jobs: Jobs) -> None:
        with pytest.raises(UsageError, match="most must be a whole number"):
            await jobs.start("powers", query_of(most="x"))

    run(test)
