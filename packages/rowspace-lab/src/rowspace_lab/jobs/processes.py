"""The processes of jobs: `start_process` starts one, and `Spare` keeps one ready for the next job."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from pathlib import Path

__all__ = ["IDLE_SECONDS", "Prepare", "Spare", "give_job", "start_process"]

IDLE_SECONDS = 300.0  # after which an unused spare process ends

Prepare = Callable[[], object]


async def start_process(prepare: Prepare | None = None) -> Process:
    """Start a process that waits for a job; with `prepare`, a function at module level, it calls this first."""
    named = () if prepare is None else (prepare.__module__, prepare.__qualname__)
    command = (sys.executable, "-P", "-m", "rowspace_lab.jobs.worker", *named)
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # it imports from the same folders
    return await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, env=paths, start_new_session=True)


def give_job(process: Process, folder: Path) -> None:
    """Let a waiting process run the job in `folder`."""
    assert process.stdin is not None, "it is a pipe"  # noqa: S101  # our own call
    process.stdin.write(json.dumps(str(folder)).encode() + b"\n")


class Spare:
    """At most one process that is prepared for the next job; it ends if no job takes it within `idle_seconds`."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._lock = asyncio.Lock()
        self._process: Process | None = None
        self._prepare: Prepare | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def start(self, prepare: Prepare) -> Process:
        """Start the process, unless there is one with the same preparation, and return it."""
        async with self._lock:
            if self._process is not None and self._is_ready(prepare):
                return self._process
            await self._end()
            self._process, self._prepare = await start_process(prepare), prepare
            self._timer = asyncio.get_running_loop().call_later(self._idle_seconds, self._kill)
            return self._process

    def take(self, prepare: Prepare | None) -> Process | None:
        """Return the process, which is no longer a spare one; None if there is none with this preparation."""
        if prepare is None or not self._is_ready(prepare):
            return None
        process, self._process = self._process, None
        if self._timer is not None:
            self._timer.cancel()
        return process

    async def stop(self) -> None:
        """End the process."""
        async with self._lock:
            await self._end()

    def _is_ready(self, prepare: Prepare) -> bool:
        return self._process is not None and self._process.returncode is None and self._prepare is prepare

    async def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._process is not None:
            self._kill()
            await self._process.wait()
        self._process = None

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
