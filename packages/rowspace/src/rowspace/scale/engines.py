"""The engines that work on parts: this process, processes of this machine, Ray, Dask, or an executor of Python."""

import logging
import os
import select
import socket
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any, Literal, NamedTuple

from rowspace._base.parallel import available_cores
from rowspace.errors import RowspaceError, reason_of
from rowspace.scale.worker_process import WorkerProcess

__all__ = ["ENGINES", "Engine", "On", "Outcome", "check_address", "connect_to_ray", "engine_for"]

On = Literal["processes", "ray", "dask"] | Executor | None
"""Where parts are worked on; None is this process."""

ENGINES = ("processes", "ray", "dask")
RETRIES = 3  # of a part whose worker has died
SECONDS_TO_CONNECT = 10.0


class Outcome(NamedTuple):
    """What a worker made of a part.

    Attributes:
        part: The part.
        value: What the function returned.
        failure: Why it failed; empty if it did not.
        trace: The traceback of an internal error.
        is_usage: Whether an argument is wrong.
    """

    part: Any
    value: Any = None
    failure: str = ""
    trace: str = ""
    is_usage: bool = False


Function = Callable[[Any], Outcome]


class Engine(ABC):
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

    def close(self) -> None:
        """End workers that this engine has started; most have started none."""
        return


def engine_for(on: On, function: Function, workers: int | None) -> Engine:
    """Return an engine that calls `function`, which does not raise, for each part."""
    if on is None:
        return _Here(function)
    if isinstance(on, Executor):
        return _Futures(function, workers or available_cores(), on)
    if on == "processes":
        return _Processes(function, workers or available_cores())
    if on == "ray":
        return _Ray(function, workers)
    return _Dask(function, workers)


class _Here(Engine):
    def __init__(self, function: Function) -> None:
        self.workers, self._function, self._parts = 1, function, list[Any]()

    def submit(self, part: Any) -> None:
        self._parts.append(part)

    def next(self) -> Outcome:
        return self._function(self._parts.pop())


class _Futures(Engine):
    """An executor of `concurrent.futures`, which the caller has made."""

    def __init__(self, function: Function, workers: int, executor: Executor) -> None:
        self.workers, self._function, self._executor = workers, function, executor
        self._futures = dict[Future[Outcome], Any]()

    def submit(self, part: Any) -> None:
        self._futures[self._executor.submit(self._function, part)] = part

    def next(self) -> Outcome:
        done = next(iter(wait(self._futures, return_when=FIRST_COMPLETED).done))
        return _outcome(self._futures.pop(done), done.result)


class _Processes(Engine):
    """Processes of this machine, each with one part at a time, so that the death of one is the loss of one part."""

    def __init__(self, function: Function, workers: int) -> None:
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


class _Ray(Engine):
    """Tasks of Ray: on the cluster that this process is connected to or finds, else on one that it starts here."""

    def __init__(self, function: Function, workers: int | None) -> None:
        ray, self._is_own = connect_to_ray()
        self._ray = ray
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


def connect_to_ray() -> tuple[Any, bool]:
    """Return the module of Ray, and whether this process was not connected to a cluster before."""
    import ray

    is_own = not ray.is_initialized()
    if is_own:
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        check_address(os.environ.get("RAY_ADDRESS", ""))
        _connected(lambda: ray.init(logging_level=logging.ERROR, log_to_driver=False))
    return ray, is_own


def check_address(address: str) -> None:
    """Raise `RowspaceError` if nothing listens at HOST:PORT, because Ray retries for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=SECONDS_TO_CONNECT).close()
    except (OSError, OverflowError) as error:
        raise RowspaceError(
            f"no Ray cluster answers at RAY_ADDRESS={address} ({reason_of(error)}); start it, correct the address, or "
            "unset RAY_ADDRESS for a cluster of this machine"
        ) from error


def _run(function: Function, part: Any) -> Outcome:
    return function(part)


class _Dask(Engine):
    """Tasks of Dask: of this process's client, the scheduler in Dask's configuration, or a cluster made here."""

    def __init__(self, function: Function, workers: int | None) -> None:
        import dask
        import distributed

        self._own = list[Any]()
        try:
            self._client = distributed.get_client()
        except ValueError:  # there is none
            address = dask.config.get("scheduler-address", None)
            if address is None:
                options = {"host": "127.0.0.1", "dashboard_address": None, "n_workers": workers or available_cores()}
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
            f"the cluster cannot be used ({reason_of(error)}); check its address and, for Ray, its token "
            "(RAY_AUTH_MODE and RAY_AUTH_TOKEN), and that its machines have the same versions of Python, rowspace and "
            "the engine as this process"
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
