"""The job that indexes the files of the page with a table, or brings the index up to date."""

import shutil
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rowspace._base.atomic import make_scratch
from rowspace._base.plural import plural
from rowspace.errors import MissingExtraError, RowspaceError
from rowspace.search import Index
from rowspace.store import load
from rowspace_lab.jobs.callbacks import iterate_callbacks
from rowspace_lab.jobs.kinds import JobKind, Progress
from rowspace_lab.lab import Lab
from rowspace_lab.pages.search.source import (
    IndexPlace,
    SearchSource,
    encoder_of,
    missing_extra,
    open_encoder,
    open_index,
    remove_unused,
)
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply

__all__ = ["job_kinds", "run_index"]

_SECONDS_BETWEEN_REPORTS = 0.1
Report = tuple[int, int]


def job_kinds(source: SearchSource) -> Mapping[str, JobKind]:
    """Return the kinds of jobs of the page."""
    return {"index": JobKind(run=run_index, read=partial(_read, source), arrays=lambda *_, **__: {})}


def run_index(
    *, table: str, is_copy: bool, fingerprint: str, path: str, roots: list[str], is_named: bool, at: str
) -> Iterator[Progress | Reply]:
    """Index files that are new or have changed; a frame at the end.

    Args:
        table: The path of the table.
        is_copy: Whether that is a copy for this job.
        fingerprint: Fingerprint of the encoder of the page.
        path: As in `IndexPlace`.
        roots: As in `IndexPlace`.
        is_named: As in `IndexPlace`.
        at: Tells runs apart.
    """
    yield Progress(0, "opening the table")
    encoder = open_encoder(load(table), table)
    if encoder.fingerprint != fingerprint:
        raise RowspaceError(f"{table}: the table has changed since the workbench opened it; start rowspace lab again")
    place = IndexPlace(Path(path), tuple(roots), is_named)
    done: list[Index] = []

    def work(report: Callable[[Report], None]) -> None:
        reports = _Pace(report)
        place.record(None)
        found = open_index(place, encoder)
        if found is None:
            place.path.parent.mkdir(parents=True, exist_ok=True)
            origin = None if is_copy else table
            found = Index.build(place.roots, encoder, place.path, table=origin, on_progress=reports)
        else:
            found.update(on_progress=reports)
        done.append(found)

    for read, total in iterate_callbacks(work):
        yield Progress(read / max(1, total), f"read {read:,} of {plural(total, 'file')}")
    summary = done[0].summary
    run = {**vars(summary), "skipped": dict(summary.skipped), "ended": time.time()}
    place.record(run)
    remove_unused()
    yield Progress(1, f"{plural(len(done[0].files()), 'file')}, {plural(summary.chunks, 'passage')}")
    yield Reply(run)


class _Pace:
    """Passes on a report at most each tenth of a second, and the last one."""

    def __init__(self, report: Callable[[Report], None]) -> None:
        self._report = report
        self._next = 0.0

    def __call__(self, done: int, total: int) -> None:
        """Report the files done."""
        now = time.monotonic()
        if now >= self._next or done == total:
            self._next = now + _SECONDS_BETWEEN_REPORTS
            self._report((done, total))


def _read(source: SearchSource, lab: Lab, query: Query) -> Mapping[str, Any]:
    """`at`: any text, another one for each run."""
    at = query.text("at", "", max_length=40)
    if message := missing_extra():
        raise MissingExtraError(message)
    encoder = encoder_of(lab)
    place = source.place(encoder)
    return {
        "table": lab.path if lab.code is None else _copy(lab),
        "is_copy": lab.code is not None,
        "fingerprint": encoder.fingerprint,
        "path": str(place.path),
        "roots": list(place.roots),
        "is_named": place.is_named,
        "at": at,
    }


def _copy(lab: Lab) -> str:
    """Return the path of a copy of a table that is in no file, which is removed with the lab."""

    def make() -> str:
        folder = str(make_scratch("lab-search"))
        weakref.finalize(lab, shutil.rmtree, folder, ignore_errors=True)
        lab.table.save(f"{folder}/table")
        return f"{folder}/table"

    return lab.cached("search/copy", make)
