"""`Jobs`: runs jobs in separate processes, two at a time, until they are done, cancelled, or the server stops.

Each job has a folder for the input of its process and for its frames.
"""

import asyncio
import contextlib
import json
import shutil
import traceback
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from rowspace._base.atomic import make_scratch
from rowspace.errors import RowspaceError
from rowspace.serve.request import HttpError
from rowspace_lab.jobs.job import FRAME_BYTES, Job
from rowspace_lab.jobs.kinds import JobKind, Parameters
from rowspace_lab.jobs.processes import IDLE_SECONDS, Spare, give_job, start_process
from rowspace_lab.lab import Lab
from rowspace_lab.server.errors import INTERNAL_ERROR
from rowspace_lab.server.query import Query

__all__ = ["Jobs", "Limits"]

AT_ONCE = 2
Inputs = Callable[[], Mapping[str, NDArray[Any]]]
_FIRST = 0.3  # the share of a job's progress that the job it needs accounts for


@dataclass(frozen=True)
class Limits:
    """Limits of the jobs of a lab.

    Attributes:
        unfinished: Maximum number of jobs that run or wait.
        finished: Maximum number of finished jobs that are kept.
        frame_bytes: The largest size of a job's frames.
        idle_seconds: Maximum time that a spare process waits for a job.
    """

    unfinished: int = 20
    finished: int = 20
    frame_bytes: int = FRAME_BYTES
    idle_seconds: float = IDLE_SECONDS


class Jobs:
    """The jobs of all tables, with `kinds` by name; call all methods in the thread of the event loop."""

    def __init__(self, kinds: Mapping[str, JobKind], limits: Limits | None = None) -> None:
        self.kinds = kinds
        self._limits = limits or Limits()
        self._jobs: dict[str, Job] = {}  # by table, kind and parameters, oldest first
        self._count = 0
        self._waiting: dict[int, int] = {}  # job number → the number of jobs that wait for it
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._folder: Path | None = None
        self._spare = Spare(self._limits.idle_seconds)

    async def start(self, lab: Lab, name: str, query: Query) -> Job:
        """Return the table's job of this kind with these parameters; start it unless it exists and has not failed.

        Raises the errors of the kind's `read`, and `HttpError` (429) if too many jobs are unfinished.
        """
        parameters = await to_thread.run_sync(self.kinds[name].read, lab, query, abandon_on_cancel=True)
        return self._start(lab, name, parameters)

    def _start(self, lab: Lab, name: str, parameters: Parameters) -> Job:
        does = json.dumps([lab.id, name, parameters])
        if does in self._jobs and not self._jobs[does].has("failed"):
            return self._jobs[does]
        if sum(not job.is_over for job in self._jobs.values()) >= self._limits.unfinished:
            raise HttpError(429, f"{self._limits.unfinished} jobs are already running or waiting; wait, or cancel one")
        self._remove_old(does)
        self._count += 1
        job = self._jobs[does] = Job(self._count, self._room() / str(self._count), self._limits.frame_bytes)
        job.publish("progress", fraction=0.0, sentence=f"waiting: {AT_ONCE} jobs run at a time")
        job.task = asyncio.create_task(self._run(job, lab, name, parameters))
        return job

    async def prepare(self, name: str) -> None:
        """Start a spare process for the next job of this kind if it has a `prepare`, unless jobs are running."""
        prepare = self.kinds[name].prepare
        if prepare is not None and all(job.is_over for job in self._jobs.values()):
            with contextlib.suppress(OSError):  # the next job can do without
                await self._spare.start(prepare)

    def find(self, number: int) -> Job:
        """Return a job by its number; raise `HttpError` (404) if there is none."""
        for job in self._jobs.values():
            if job.number == number:
                return job
        raise HttpError(404, "there is no job with this number, or it was removed; start it again")

    async def cancel(self, job: Job) -> None:
        """Stop a job and forget it."""
        does = next((does for does, other in self._jobs.items() if other is job), None)
        if does is not None:
            del self._jobs[does]
        await self._end(job)
        if does is not None:
            await self.prepare(json.loads(does)[1])

    async def stop(self) -> None:
        """Stop all jobs and delete their files."""
        await asyncio.gather(*map(self._end, self._jobs.values()))
        await self._spare.stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _end(self, job: Job) -> None:
        await _cancelled(job)
        shutil.rmtree(job.folder, ignore_errors=True)

    async def _run(self, job: Job, lab: Lab, name: str, parameters: Parameters) -> None:
        """Wait for the job that this one needs and for a free slot, run its process, and publish the result."""
        kind = self.kinds[name]
        try:
            first = await self._needed(job, lab, kind, parameters)
            async with self._turns:
                job.publish("progress", fraction=_FIRST * (first is not None), sentence=f"starting as job {job.number}")
                inputs = partial(kind.arrays, lab, **parameters)
                await to_thread.run_sync(self._write, job, kind, parameters, inputs, first, abandon_on_cancel=True)
                await self._work(job, kind, _FIRST if first else 0.0)
        except (RowspaceError, OSError) as error:
            job.publish("failed", error=str(error))
        except Exception:  # an internal error
            traceback.print_exc()
            job.publish("failed", error=INTERNAL_ERROR)
        finally:
            for path in job.folder.glob("*.npy"):
                path.unlink()
        await self.prepare(name)

    async def _needed(self, job: Job, lab: Lab, kind: JobKind, parameters: Parameters) -> Path | None:
        """Run the job that this one needs, pass on its progress, and return its last frame; None if it needs none."""
        if kind.needs is None:
            return None
        first = self._start(lab, *kind.needs(lab, **parameters))
        self._waiting[first.number] = self._waiting.get(first.number, 0) + 1
        try:
            async for event in first.follow():
                if event.name == "failed":
                    raise RowspaceError(event.data["error"])
                if event.name == "progress":
                    job.publish("progress", fraction=_FIRST * event.data["fraction"], sentence=event.data["sentence"])
        finally:
            self._waiting[first.number] -= 1
            if not self._waiting[first.number]:
                del self._waiting[first.number]
            if not first.is_over and first.number not in self._waiting:  # no other job waits for it
                await _cancelled(first)
        return first.frames[max(first.frames)]

    def _write(self, job: Job, kind: JobKind, parameters: Parameters, inputs: Inputs, first: Path | None) -> None:
        """Write the input of the process; `first` is the frame of the needed job."""
        job.folder.mkdir()
        for name, array in inputs().items():
            np.save(job.folder / f"{name}.npy", array, allow_pickle=False)
        work: dict[str, object] = {
            "module": kind.run.__module__,
            "function": kind.run.__qualname__,
            "parameters": parameters,
        }
        work["frame"] = None if first is None else str(first)
        (job.folder / "job.json").write_text(json.dumps(work), encoding="utf-8")

    async def _work(self, job: Job, kind: JobKind, begin: float) -> None:
        """Run the process and publish its events, with progress scaled to start at `begin`."""
        process = self._spare.take(kind.prepare) or await start_process()
        try:
            give_job(process, job.folder)
            while line := await process.stdout.readline():  # type: ignore[union-attr]  # it is a pipe
                data = json.loads(line)
                if "fraction" in data:
                    data["fraction"] = begin + (1 - begin) * data["fraction"]
                job.publish(data.pop("event"), **data)
            status = await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if not job.is_over:
            ending = f"by signal {-status}" if status < 0 else f"with status {status}"
            job.publish("failed", error=f"the process of this job ended {ending}; start it again")

    def _room(self) -> Path:
        """Return the folder of all jobs."""
        if self._folder is None:
            self._folder = make_scratch("lab-jobs")
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    def _remove_old(self, does: str) -> None:
        """Forget the job `does`, which is restarted, and all but the last few finished jobs."""
        over = [other for other, job in self._jobs.items() if job.is_over]
        for other in {*over[: -self._limits.finished], does} & self._jobs.keys():
            shutil.rmtree(self._jobs.pop(other).folder, ignore_errors=True)


async def _cancelled(job: Job) -> None:
    """Cancel the task of a job, and wait until its process has ended."""
    if job.task is not None:
        if not job.task.cancelling():  # a second time would interrupt the wait for the process
            job.task.cancel()
        await asyncio.wait([job.task])
    if not job.is_over:
        job.publish("failed", error="this job was cancelled")
