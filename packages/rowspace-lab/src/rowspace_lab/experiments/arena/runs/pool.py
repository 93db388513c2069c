"""Several worker processes, each of which runs one cell at a time."""

import dataclasses
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rowspace_lab.experiments.arena.runs.worker import Request

__all__ = ["run_requests"]

_MAX_REASON = 300  # characters
_POLL = 0.2  # seconds


def run_requests(
    folder: Path, requests: Sequence[Request], *, workers: int, is_stopped: Callable[[], bool]
) -> Iterator[dict[str, Any]]:
    """Run requests in worker processes and yield their results as they come: key, and cell or failure.

    If a worker dies, its current run has failed; the other runs continue in a new worker.

    Args:
        folder: With job.json, as `worker.serve` reads it.
        requests: The runs; ideally the longest first.
        workers: Number of runs at a time.
        is_stopped: Whether to kill the workers and end; called several times a second.
    """
    waiting = queue.SimpleQueue[Request]()
    for request in requests:
        waiting.put(request)
    results = queue.SimpleQueue[dict[str, Any] | Exception | None]()  # None: a thread has ended
    slots = [_Slot(folder, number, waiting, results) for number in range(min(workers, len(requests)))]
    try:
        for slot in slots:
            slot.start()
        running = len(slots)
        while running and not is_stopped():
            try:
                result = results.get(timeout=_POLL)
            except queue.Empty:
                continue
            if isinstance(result, Exception):
                raise result
            if result is None:
                running -= 1
            else:
                yield result
    finally:
        for slot in slots:
            slot.stop()


class _Slot:
    """A thread that passes requests to its worker process."""

    def __init__(self, folder: Path, number: int, waiting: Any, results: Any) -> None:
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._folder, self._errors = folder, folder / f"errors-{number}"
        self._waiting, self._results = waiting, results
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """End the process, and wait for the thread."""
        self._stopped = True
        process = self._process
        if process is not None:
            process.kill()
        self._thread.join()

    def _work(self) -> None:
        """Work until no request waits."""
        try:
            while not self._stopped:
                try:
                    self._serve(self._waiting.get_nowait())
                except queue.Empty:
                    break
            self._end()
        except Exception as error:  # it belongs to the caller's thread
            self._results.put(error)
        finally:
            self._results.put(None)

    def _serve(self, request: Request) -> None:
        """Run a request; if the process dies, go on with the next seed in a new one."""
        seeds = list(request.seeds)
        while seeds and not self._stopped:
            remaining = dataclasses.replace(request, seeds=seeds)
            for line in self._answers(remaining):
                self._results.put(json.loads(line))
                seeds = seeds[1:]
            if seeds and not self._stopped:
                self._results.put({"key": remaining.keys[len(remaining.seeds) - len(seeds)], "failed": self._reason()})
                seeds = seeds[1:]

    def _answers(self, request: Request) -> Iterator[str]:
        """Yield a line for each seed; fewer if the process ends."""
        if self._process is None:
            self._process = self._start_process()
        process = self._process
        with suppress(BrokenPipeError):  # that its process has ended is noticed below
            print(json.dumps(dataclasses.asdict(request)), file=process.stdin, flush=True)
        for _ in request.seeds:
            line = process.stdout.readline() if process.stdout else ""
            if not line.endswith("\n"):
                return
            yield line

    def _start_process(self) -> "subprocess.Popen[str]":
        environment = os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        command = [
            sys.executable,
            "-m",
            "rowspace_lab.experiments.arena.runs.worker",
            str(self._folder),
            str(os.getpid()),
        ]
        with self._errors.open("w") as errors:
            return subprocess.Popen(  # noqa: S603  # this Python and this package
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=environment,
                start_new_session=True,  # Ctrl-C is for the process that started it
            )

    def _reason(self) -> str:
        """Return how the process ended, and drop it."""
        status = self._end()
        lines = self._errors.read_text(errors="replace").strip().splitlines() if self._errors.exists() else []
        if lines and status > 0:
            return lines[-1][:_MAX_REASON]
        return f"its process ended with status {status}" + (", perhaps for lack of memory" if status < 0 else "")

    def _end(self) -> int:
        """Close the process and return its exit status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        with suppress(BrokenPipeError):
            if process.stdin:
                process.stdin.close()
        status = process.wait()
        if process.stdout:
            process.stdout.close()
        return status
