"""Kinds of jobs, and routes of a page, for the tests; worker processes import the kinds by name from this folder."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rowspace.errors import UsageError
from rowspace_lab.jobs.kinds import JobKind, Progress
from rowspace_lab.lab import Lab
from rowspace_lab.page import Upload
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply


def powers(rows: np.ndarray, *, most: int) -> Iterator[Progress | Reply]:
    """Yield the rows to the powers 1, 2, ..."""
    print("this goes to the terminal, not into the events")
    assert not rows.flags.writeable
    for power in range(1, most + 1):
        yield Progress(power / most, f"power {power} of {most}")
        yield Reply({"power": power}, rows=rows**power)


def waits(rows: np.ndarray, *, file: str) -> Iterator[Progress | Reply]:
    """Send the process id and wait until the pipe `file` is opened for writing."""
    os.mkfifo(file)
    yield Reply({"process": os.getpid()})
    Path(file).read_bytes()


def squares(rows: np.ndarray, first: np.ndarray, *, file: str, number: int) -> Iterator[Progress | Reply]:
    """Send the square of the dependency's result."""
    yield Progress(0.5, "squares 1 array")
    yield Reply({}, squared=first**2)


def copies(rows: np.ndarray, *, file: str) -> Iterator[Progress | Reply]:
    """Send the process id, wait like `waits`, and return the rows as `first`; fail without a file."""
    yield Progress(0.5, "1 of 2")
    if not file:
        raise UsageError("the first job failed")
    os.mkfifo(file)
    yield Reply({"process": os.getpid()})
    Path(file).read_bytes()
    yield Reply({}, first=rows)


def fails(rows: np.ndarray, *, how: str) -> Iterator[Progress | Reply]:
    """Fail in the way named by `how`."""
    yield Progress(float("nan"), "fails")
    if how == "sentence":
        raise UsageError("two rows are too few")
    if how == "mistake":
        raise ZeroDivisionError("a secret detail")
    os.abort() if how == "abort" else os._exit(3)


READY: list[int] = []


def get_ready() -> None:
    """Remember that this process was prepared."""
    READY.append(os.getpid())


def fail_to_get_ready() -> None:
    """Fail before there is a job."""
    raise ZeroDivisionError("a secret detail")


def tells(*, number: int) -> Iterator[Progress | Reply]:
    """Send the processes that were prepared: this one, or none."""
    yield Reply({"ready": READY, "process": os.getpid()})


def _number(_: Lab, query: Query) -> dict[str, int]:
    return {"number": query.integer("number", 1, low=1, high=9)}


def _kind(run: object, read: object) -> JobKind:
    return JobKind(run=run, read=read, arrays=lambda lab, **_: {"rows": lab.table.rows})


JOB_KINDS = {
    "powers": _kind(powers, lambda _, query: {"most": query.integer("most", 3, low=1, high=1000)}),
    "waits": _kind(waits, lambda _, query: {"file": query.text("file")}),
    "fails": _kind(fails, lambda _, query: {"how": query.choice("how", ("sentence", "mistake", "abort", "exit"))}),
    "copies": _kind(copies, lambda _, query: {"file": query.text("file")}),
    "squares": JobKind(
        run=squares,
        read=lambda lab, query: {"file": query.text("file"), **_number(lab, query)},
        arrays=lambda lab, **_: {"rows": lab.table.rows},
        needs=lambda _, file, **__: ("copies", {"file": file}),
    ),
    "tells": JobKind(run=tells, read=_number, arrays=lambda *_, **__: {}, prepare=get_ready),
    "not-ready": JobKind(run=tells, read=_number, arrays=lambda *_, **__: {}, prepare=fail_to_get_ready),
    "breaks": JobKind(run=fails, read=lambda *_: {}, arrays=lambda lab: {"rows": lab.table.nonsense}),
}


def slow(_: Lab, query: Query) -> dict[str, object]:
    """Open the pipe `begun`, which unblocks its reader, and return when the pipe `go` is opened."""
    Path(query.text("begun")).write_bytes(b"")
    Path(query.text("go")).read_bytes()
    return {}


def sizes(_: Lab, query: Query) -> dict[str, object]:
    """The size of the body."""
    return {"body": len(query.body or b""), "k": query.integer("k", 1, low=0, high=9)}


def broken(_: Lab, query: Query) -> dict[str, object]:
    """Raise an internal error."""
    raise ZeroDivisionError("a secret detail")


ROUTES = {
    "try/slow": slow,
    "try/sizes": sizes,
    "try/upload": Upload(sizes, limit=100),
    "try/large": Upload(sizes, limit=1_000_000),
    "try/broken": broken,
}
