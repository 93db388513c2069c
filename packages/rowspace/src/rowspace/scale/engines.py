"""A function and parts → results, by processes of this machine, Ray, Dask or an executor of Python."""

import logging
import os
import platform
import select
import socket
import traceback
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from rowspace._base.plural import plural
from rowspace.errors import MissingExtraError, RowspaceError, UsageError, reason_of
from rowspace.scale.worker_process import WorkerProcess

__all__ = ["ENGINES", "On", "check_engine", "map_parts"]

On = Literal["processes", "ray", "dask"] | Executor | None
"""Where parts are worked on; None is this process."""

ENGINES = ("processes", "ray", "dask")
RETRIES = 3  # of a part whose worker has died


class Named(Protocol):
    """What a part needs."""

    @property
    def name(self) -> str:
        """Its name, in messages."""


Each = TypeVar("Each", bound=Named)
Value = TypeVar("Value")


class Outcome(NamedTuple):
    """What a worker made of a part.

    Attributes:
        part: The part.
        value: What the function returned.
        failure: Why it failed; empty if it did not.
        trace: The traceback of an internal error.
    """

    part: Any
    value: Any = None
    failure: str = ""
    trace: str = ""


def map_parts(
    function: Callable[[Each], Value], parts: Sequence[Each], *, on: On = "processes", workers: int | None = None
) -> Iterator[tuple[Each, Value]]:
    """Yield each part with what a function returns for it, in the order in which they are done.

    At most `workers` parts are worked on at a time. A part whose worker dies is given to another, up to three times.

    Args:
        function: A function of a module, or an object of one that can be called and pickled.
        parts: The parts.
        on: "processes" of this machine, "ray", "dask", an executor, or None for this process.
        workers: How many workers; None is one for each core of the machine or the cluster.

    Raises:
        UsageError: The engine or the number of workers is unknown.
        MissingExtraError: The engine is not installed.
        RowspaceError: A part failed. Those that have begun are finished first.
    """
    check_engine(on, workers)
    if not parts:
        return
    engine = _engine(on, _Checked(function, _versions()), workers)
    try:
        yield from _done(engine, parts)
    finally:
        engine.close()


def check_engine(on: On, workers: int | None) -> None:
    """Raise the errors of `map_parts` about the engine and the number of workers; call it before long work."""
    if workers is not None and workers < 1:
        raise UsageError(f"workers must be at least 1, got {workers}")
    if on is not None and not isinstance(on, Executor) and on not in ENGINES:
        raise UsageError(f"on must be 'processes', 'ray', 'dask' or an executor of concurrent.futures, not {on!r}")
    if on == "ray" and find_spec("ray") is None:
        raise MissingExtraError("Ray is not installed: pip install 'rowspace[scale]'")
    if on == "dask" and find_spec("distributed") is None:
        raise MissingExtraError("Dask is not installed: pip install distributed")


def _done(engine: "_Engine", parts: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    waiting, working, done, failed = list(reversed(parts)), 0, 0, list[Outcome]()
    while working or (waiting and not failed):
        while waiting and working < engine.workers and not failed:
            engine.submit(waiting.pop())
            working += 1
        outcome = engine.next()
        working -= 1
        if outcome.failure:
            failed.append(outcome)
        else:
            done += 1
            yield outcome.part, outcome.value
    if failed:
        first = min(failed)
        more = f", and {plural(len(failed) - 1, 'more part')} failed" if len(failed) > 1 else ""
        error = RowspaceError(
            f"part {first.part.name} failed: {first.failure}{more}; {plural(done, 'other part')} done"
        )
        if first.trace:
            error.add_note(first.trace)
        raise error


def _versions() -> str:
    return f"rowspace {version('rowspace')} and Python {'.'.join(platform.python_version_tuple()[:2])}"


@dataclass(frozen=True)
class _Checked:
    """A function on a worker with the same versions; its exceptions become outcomes."""

    function: Callable[[Any], Any]
    versions: str

    def __call__(self, part: Any) -> Outcome:
        """Return the outcome of a part."""
        here = _versions()
        if here != self.versions:
            return Outcome(
                part,
                failure=f"the worker on {socket.gethostname()} has {here}, and this process {self.versions}; install "
                "the same versions on all machines",
            )
        try:
            return Outcome(part, self.function(part))
        except RowspaceError as error:
            return Outcome(part, failure=str(error))
        except Exception as error:  # one part must not end the worker of others
            failure = f"{type(error).__name__}: {reason_of(error)} (on {socket.gethostname()})"
            return Outcome(part, failure=failure, trace=traceback.format_exc())


class _Engine(ABC):
    """Works on parts.

    Attributes:
        workers: How many at a time.
    """

    workers: int

    @abstractmethod
    def submit(self, part: Any) -> None:
        """Begin a part; at most `workers` have begun and are not done."""

    @abstractmethod
    def next(self) -> Outcome:
        """Wait until a part is done."""

    def close(self) -> None:  # noqa: B027  # most engines have nothing to end
        """End workers that this engine has started."""


def _engine(on: On, function: _Checked, workers: int | None) -> _Engine:
    if on is None:
        return _Here(function)
    if isinstance(on, Executor):
        return _Futures(function, workers or _cores(), on)
    if on == "processes":
        return _Processes(function, workers or _cores())
    if on == "ray":
        return _Ray(function, workers)
    return _Dask(function, workers)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Here(_Engine):
    def __init__(self, function: _Checked) -> None:
        self.workers, self._function, self._parts = 1, function, list[Any]()

    def submit(self, part: Any) -> None:
        self._parts.append(part)

    def next(self) -> Outcome:
        return self._function(self._parts.pop())


class _Futures(_Engine):
    """An executor of `concurrent.futures`, which the caller has made."""

    def __init__(self, function: _Checked, workers: int, executor: Executor) -> None:
        self.workers, self._function, self._executor = workers, function, executor
        self._futures = dict[Future[Outcome], Any]()

    def submit(self, part: Any) -> None:
        self._futures[self._executor.submit(self._function, part)] = part

    def next(self) -> Outcome:
        done = next(iter(wait(self._futures, return_when=FIRST_COMPLETED).done))
        return _outcome(self._futures.pop(done), done.result)


class _Processes(_Engine):
    """Processes of this machine, each with one part at a time, so that the death of one is the loss of one part."""

    def __init__(self, function: _Checked, workers: int) -> None:
        self.workers, self._function = workers, function
        self._idle = list[WorkerProcess]()
        self._busy = dict[WorkerProcess, tuple[Any, int]]()

    def submit(self, part: Any) -> None:
        self._begin(part, RETRIES)

    def _begin(self, part: Any, retries: int) -> None:
        worker = self._idle.pop() if self._idle else WorkerProcess(self._function)
        self._busy[worker] = part, retries
        worker.send(part)

    def next(self) -> Outcome:
        while True:
            worker = select.select(list(self._busy), [], [])[0][0]
            part, retries = self._busy.pop(worker)
            try:
                outcome: Outcome = worker.answer()
            except EOFError:
                status = worker.end()
                if not retries:
                    return Outcome(part, failure=f"its process died {RETRIES + 1} times (exit status {status})")
                self._begin(part, retries - 1)
                continue
            except (ImportError, AttributeError) as error:
                return Outcome(part, failure=reason_of(error))
            self._idle.append(worker)
            return outcome

    def close(self) -> None:
        for worker in [*self._idle, *self._busy]:
            worker.end()


class _Ray(_Engine):
    """Tasks of Ray: on the cluster that this process is connected to or finds, else on one that it starts here."""

    def __init__(self, function: _Checked, workers: int | None) -> None:
        import ray

        self._ray, self._is_own = ray, not ray.is_initialized()
        if self._is_own:
            os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
            _connected(lambda: ray.init(logging_level=logging.ERROR, log_to_driver=False))
        self.workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._task = ray.remote(num_cpus=1, max_retries=RETRIES)(_run)
        self._function = ray.put(function)
        self._refs = dict[Any, Any]()

    def submit(self, part: Any) -> None:
        self._refs[self._task.remote(self._function, part)] = part

    def next(self) -> Outcome:
        done = self._ray.wait(list(self._refs))[0][0]
        return _outcome(self._refs.pop(done), lambda: self._ray.get(done))

    def close(self) -> None:
        if self._is_own:
            self._ray.shutdown()


def _run(function: _Checked, part: Any) -> Outcome:
    return function(part)


class _Dask(_Engine):
    """Tasks of Dask: of this process's client, the scheduler in Dask's configuration, or a cluster made here."""

    def __init__(self, function: _Checked, workers: int | None) -> None:
        import dask
        import distributed

        self._own = list[Any]()
        try:
            self._client = distributed.get_client()
        except ValueError:  # there is none
            address = dask.config.get("scheduler-address", None)
            if address is None:
                options = {"host": "127.0.0.1", "dashboard_address": None, "n_workers": workers or _cores()}
                self._own.append(distributed.LocalCluster(threads_per_worker=1, **options))
            self._client = _connected(lambda: distributed.Client(address or self._own[0]))
            self._own.insert(0, self._client)
        self._distributed = distributed
        self.workers = workers or max(1, sum(self._client.nthreads().values()))
        self._function = function  # in each task, since a copy on a worker would be lost with it
        self._futures = dict[Any, Any]()

    def submit(self, part: Any) -> None:
        self._futures[self._client.submit(_run, self._function, part, pure=False)] = part

    def next(self) -> Outcome:
        done = next(iter(self._distributed.wait(list(self._futures), return_when="FIRST_COMPLETED").done))
        return _outcome(self._futures.pop(done), done.result)

    def close(self) -> None:
        for each in self._own:
            each.close()


def _connected(connect: Callable[[], Any]) -> Any:
    """Connect to a cluster, and translate the errors."""
    try:
        with warnings.catch_warnings():  # engines start programs, which do not use Lance after a fork
            warnings.filterwarnings("ignore", "lance is not fork-safe", UserWarning)
            return connect()
    except Exception as error:  # engines have many
        raise RowspaceError(
            f"the cluster cannot be used ({reason_of(error)}); check its address, and that its machines have the same "
            "versions of Python, rowspace and the engine as this process"
        ) from error


def _outcome(part: Any, result: Callable[[], Outcome]) -> Outcome:
    """Return the result of a task, or the outcome of one that the engine could not run."""
    try:
        return result()
    except Exception as error:  # engines have many: a worker that died again and again, or cannot import rowspace
        reason = reason_of(getattr(error, "cause", None) or error)
        return Outcome(
            part,
            failure=f"its worker died or could not run it ({type(error).__name__}: {reason}); check that all "
            "machines have the same rowspace and enough memory",
        )
