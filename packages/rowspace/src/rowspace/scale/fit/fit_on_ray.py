"""`fit_on_ray`: Ray starts the processes of `fit_machines`, one actor for each."""

import dataclasses
import os
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, Unpack

from rowspace._base.interrupt import stop_requests
from rowspace._base.options import shows_options
from rowspace._base.plural import plural
from rowspace.errors import RowspaceError, UsageError, reason_of
from rowspace.files.remote import is_url, path_or_url
from rowspace.learn.fit import SILENT, Reports
from rowspace.learn.options import FitKeywords, FitOptions
from rowspace.scale.engines import connect_to_ray
from rowspace.scale.fit.text_parts import Source
from rowspace.scale.mapping import check_engine, refuse_other_versions, versions
from rowspace.store import load
from rowspace.table import Table
from rowspace.text import TextOptions, TokenizerOptions

__all__ = ["fit_on_ray"]

SECONDS_TO_START = 120.0  # actors for which there are places
SECONDS_TO_FREE = 10.0  # places whose processes have ended
SECONDS_TO_FAIL = 10.0  # for the processes that notice that another one has failed
POLL_SECONDS = 0.5


@shows_options(FitOptions, TextOptions, TokenizerOptions)
def fit_on_ray(  # what, where, and how
    corpus: Source,
    *,
    machines: int,
    output: str | Path,
    resume: bool = False,
    merge_every: int | None = None,
    first_rows: int | None = None,
    merging: Literal["mean", "adaptive"] | None = None,
    reports: Reports = SILENT,
    **options: Unpack[FitKeywords],
) -> Table:
    """Learn a table in processes that Ray starts on the machines of a cluster; the rows are those of `fit_machines`.

    They run on the cluster that this process is connected to or finds, else on one that Ray starts here. Each takes
    `workers` processors of the cluster, or one if the option is not given, when it learns with all cores of its
    machine. The text and the output must be at paths that all machines see.

    Args:
        corpus: Files, folders, patterns or URLs.
        machines: The number of processes, which Ray spreads over the machines.
        output: Where the first process saves the table.
        resume: As for `fit_machines`.
        merge_every: Likewise.
        first_rows: Likewise.
        merging: Likewise.
        reports: Callbacks for progress.
        **options: As for `fit_machines`.

    Returns:
        The table.

    Raises:
        UsageError: As for `fit_machines`, or the number of machines is below 1.
        MissingExtraError: Ray is not installed.
        FitInterrupted: Ctrl-C or SIGTERM while rows are learned; the table so far is saved.
        RowspaceError: The cluster has fewer free places, other versions, or a machine that does not see a path; or a
            process has failed, which ends all. Errors of `fit_machines` are raised here.
    """
    check_engine("ray", options.get("workers"))
    if machines < 1:
        raise UsageError(f"machines must be at least 1, got {machines}")
    paths, output = _absolute(corpus), output if is_url(output) else os.path.realpath(output)
    Table.check_target(output)
    ray, is_own = connect_to_ray()
    actors = list[Any]()
    try:
        actors += _start(ray, machines, options.get("workers") or 1)
        seen = [path for path in paths if isinstance(path, Path) and path.exists()]
        seen += [] if is_url(output) else [Path(output).parent]
        _check(ray, [actor.check.remote(versions(), list(map(str, seen))) for actor in actors])
        address = ray.get(actors[0].open_store.remote(machines))
        schedule = {"merge_every": merge_every, "first_rows": first_rows, "merging": merging}
        arguments = {"output": output, "resume": resume, **schedule}
        told = [each.name for each in dataclasses.fields(reports) if getattr(reports, each.name)]
        refs = [
            actor.fit.remote(paths, address, (rank, machines), told, arguments | options)
            for rank, actor in enumerate(actors)
        ]
        _wait(ray, actors, refs, reports)
    finally:
        for actor in actors:
            ray.kill(actor)
        if is_own:
            ray.shutdown()
    return load(output)


def _absolute(corpus: Source) -> list[os.PathLike[str]]:
    """Return the paths of a corpus as they are seen from another folder."""
    given = [corpus] if isinstance(corpus, str | os.PathLike) else corpus
    if not isinstance(given, Sequence) or not given:
        raise UsageError("only files are read on several machines; give a path or a list of paths")
    names = [os.fspath(each) for each in given]
    if "-" in names:
        raise UsageError("standard input ('-') is not seen by other machines; name files")
    return [path_or_url(name if is_url(name) else os.path.abspath(name)) for name in names]  # noqa: PTH100  # a pattern


def _start(ray: Any, machines: int, processors: int) -> list[Any]:
    """Start the actors, if there are places for them, for which Ray would wait for ever."""
    what = f"of {plural(processors, 'processor')}"
    _check_places(ray, machines, processors, what)
    kind = ray.remote(num_cpus=processors, max_concurrency=2, scheduling_strategy="SPREAD")(_Process)
    actors = [kind.remote() for _ in range(machines)]
    ready, missing = ray.wait(
        [actor.__ray_ready__.remote() for actor in actors], num_returns=machines, timeout=SECONDS_TO_START
    )
    if missing:
        for actor in actors:
            ray.kill(actor)
        raise RowspaceError(
            f"only {len(ready)} of {machines} processes have started in {SECONDS_TO_START:.0f} seconds; check that "
            f"machines of the cluster have places {what}"
        )
    return actors


def _check_places(ray: Any, machines: int, processors: int, what: str) -> None:
    """Raise `RowspaceError` if there is no place for all processes; wait for those of a fit that has just ended."""

    def places(resources: dict[str, float]) -> int:
        return int(resources.get("CPU", 0) // processors)

    total, need = places(ray.cluster_resources()), f"{machines} machines need one each; start fewer"
    if total < machines:
        raise RowspaceError(f"the cluster has {plural(total, 'place')} {what}, and {need}, or give it more processors")
    deadline = time.monotonic() + SECONDS_TO_FREE
    while (free := places(ray.available_resources())) < machines:
        if time.monotonic() >= deadline:
            raise RowspaceError(
                f"the cluster has {plural(free, 'free place')} {what}, and {need}, or wait until other work has ended"
            )
        time.sleep(POLL_SECONDS)


def _check(ray: Any, refs: list[Any]) -> None:
    """Raise the first sentence that a process has returned."""
    try:
        found = ray.get(refs)
    except ray.exceptions.RayError as error:
        raise RowspaceError(
            f"a process of the cluster cannot learn ({reason_of(error)}); check that all machines have the same "
            "rowspace, with PyTorch"
        ) from error
    for sentence in filter(None, found):
        raise RowspaceError(sentence)


def _wait(ray: Any, actors: list[Any], refs: list[Any], reports: Reports) -> None:
    """Wait until all have ended, pass on what the first one reports and a request to stop; raise one error."""
    failures, waiting, deadline = list[Exception](), list(refs), float("inf")
    with stop_requests() as stop:
        while waiting and time.monotonic() < deadline:
            done, waiting = ray.wait(waiting, timeout=POLL_SECONDS)
            for ref in done:
                try:
                    ray.get(ref)
                except ray.exceptions.RayError as error:
                    failures.append(getattr(error, "cause", None) or error)
                    deadline = min(deadline, time.monotonic() + SECONDS_TO_FAIL)
            for name, arguments in [] if failures else _reported(ray, actors[0]):
                getattr(reports, name)(*arguments)
            if stop.is_set() and not failures and not _stop(ray, actors):
                raise KeyboardInterrupt
    if failures:
        raise _reason(failures)


def _stop(ray: Any, actors: list[Any]) -> bool:
    """Ask the processes to save the table so far; return whether they can, since rows are learned."""
    try:
        return any(ray.get([actor.stop.remote() for actor in actors]))
    except ray.exceptions.RayError:  # one has died or ended, which `_wait` sees
        return True


def _reported(ray: Any, first: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """Return what the first process has reported; nothing if it has just died."""
    try:
        found: list[tuple[str, tuple[Any, ...]]] = ray.get(first.reported.remote())
    except ray.exceptions.RayError:
        return []
    return found


def _reason(failures: list[Exception]) -> Exception:
    """Return what ended the fit, if some processes only noticed that another one has failed."""
    from rowspace.scale.fit.machines import FailedElsewhere  # needs PyTorch

    ours = [each for each in failures if isinstance(each, RowspaceError) and not isinstance(each, FailedElsewhere)]
    if ours:
        return type(ours[0])(str(ours[0]))
    died = [each for each in failures if not isinstance(each, FailedElsewhere)]
    return RowspaceError(
        f"a process of the fit has died ({reason_of((died or failures)[0])}); check the memory of its machine, and "
        "start it again, with resume if a state was saved"
    )


class _Process:
    """What an actor does: one process of a fit."""

    def __init__(self) -> None:
        os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # a lost connection is reported in one sentence
        self._events = deque[tuple[str, tuple[Any, ...]]]()
        self._store: Any = None
        self._machines: Any = None

    def check(self, expected: str, paths: list[str]) -> str:
        """Return why this process cannot learn, or nothing."""
        import rowspace.scale.fit.fit_machines  # noqa: F401  # imported once, in the thread that checks

        wrong = refuse_other_versions(expected)
        missing = [path for path in paths if not Path(path).exists()]
        if missing and not wrong:
            return (
                f"the worker on {socket.gethostname()} does not see {missing[0]!r}; name paths that all machines see, "
                "or URLs"
            )
        return wrong

    def open_store(self, machines: int) -> tuple[str, int]:
        """Return the address at which the processes find each other; for the first one."""
        import ray
        from torch.distributed import TCPStore  # type: ignore[attr-defined]  # public, but not in a stub

        host = ray.util.get_node_ip_address()
        self._store = TCPStore(host, 0, machines, is_master=True, wait_for_workers=False)
        return host, self._store.port

    def fit(
        self,
        corpus: Source,
        address: tuple[str, int],
        place: tuple[int, int],
        told: list[str],
        keywords: dict[str, Any],
    ) -> None:
        """Learn with the other processes.

        Args:
            corpus: The text.
            address: That of `open_store` of the first process.
            place: The rank of this process and the number of processes.
            told: The names of the callbacks of `Reports` that are called.
            keywords: Those of `fit_machines`.
        """
        from torch.distributed import TCPStore  # type: ignore[attr-defined]  # public, but not in a stub

        from rowspace.scale.fit.fit_machines import fit_machines
        from rowspace.scale.fit.machines import Machines

        store = self._store or TCPStore(*address, place[1], is_master=False)
        reports = Reports(**{name: self._report(name) for name in told})
        self._machines = Machines(store, *place, address[0])
        fit_machines(corpus, machines=self._machines, reports=reports, **keywords)

    def stop(self) -> bool:
        """Stop learning at the next merge; return whether rows are learned."""
        if self._machines is None or not self._machines.is_learning:
            return False
        self._machines.stop.set()
        return True

    def reported(self) -> list[tuple[str, tuple[Any, ...]]]:
        """Return what was reported since the last call."""
        return [self._events.popleft() for _ in range(len(self._events))]

    def _report(self, name: str) -> Callable[..., None]:
        return lambda *arguments: self._events.append((name, arguments))
