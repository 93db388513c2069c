"""Trials in child processes, a number of them one after the other, which an interrupted run continues."""

import json
import os
import select
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

__all__ = ["Outcome", "run_trials", "status_of"]

SECONDS = 120  # wall time of a trial: twice what a reader of files waits on a busy machine before it ends a parser


class Outcome(NamedTuple):
    """The outcome of a trial: its number, the kind, the memory used in bytes, and the message."""

    number: int
    kind: str
    memory: int
    message: str


def run_trials(
    trial: Callable[[int], Outcome],
    count: int,
    *,
    record: Path | None,
    right: tuple[str, ...],
    keep: Callable[[int, Path], object],
    before: Callable[[], object] = lambda: None,
    at_once: int = 50,
) -> Iterator[Outcome]:
    """Yield the outcome of each trial, starting with those that an earlier run has recorded.

    Args:
        trial: Called with a number, in a child process.
        count: How many.
        record: Where the outcomes are saved; None: nowhere.
        right: The kinds that are right.
        keep: Called with the number of a trial with another kind, and where to keep its files.
        before: Called in each child process before its first trial.
        at_once: How many a process runs.
    """
    earlier = []
    if record is not None:
        record.parent.mkdir(parents=True, exist_ok=True)
        if record.exists():
            earlier = [Outcome(*json.loads(line)) for line in record.read_text().splitlines()]
    yield from earlier[:count]
    number = len(earlier)
    while number < count:
        for outcome in run_in_child(trial, range(number, min(number + at_once, count)), before):
            number = outcome.number + 1
            if record is not None:
                with record.open("a") as file:
                    file.write(json.dumps(outcome) + "\n")
                if outcome.kind not in right:
                    place = record.parent / "wrong" / f"{record.stem}.{outcome.number}"
                    shutil.rmtree(place, ignore_errors=True)
                    place.parent.mkdir(exist_ok=True)
                    keep(outcome.number, place)
            yield outcome


def run_in_child(trial: Callable[[int], Outcome], numbers: range, before: Callable[[], object]) -> Iterator[Outcome]:
    """Yield the outcomes of some trials from a child process, up to the first that ends it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            with os.fdopen(writing, "w") as output:
                before()
                for number in numbers:
                    print(json.dumps(trial(number)), file=output, flush=True)
        finally:
            os._exit(0)
    os.close(writing)
    number = numbers.start
    with os.fdopen(reading, "rb") as output:
        for line in lines_with_timeout(output):
            number += 1
            yield Outcome(*json.loads(line))
    os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if number < numbers.stop:
        yield Outcome(number, "crash" if status != -signal.SIGKILL else "time", 0, f"the process ended with {status}")


def lines_with_timeout(output: BinaryIO) -> Iterator[bytes]:
    """Yield lines until the end of the stream or a timeout."""
    while select.select([output], [], [], SECONDS)[0]:
        line = output.readline()
        if not line:
            return
        yield line


def status_of(field: str) -> int:
    """Return a field of /proc/self/status in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) << 10
    return 0
