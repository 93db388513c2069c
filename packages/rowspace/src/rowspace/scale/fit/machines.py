"""`Machines`: what the processes of a fit on several machines tell each other, by gloo of torch.distributed.

All of them call the same methods in the same order. A block under `together` is the place for work that may fail on one
of them: nothing is sent inside, and at its end all learn of a failure. One process reports it; the others raise
`FailedElsewhere`.
"""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from ipaddress import ip_address
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FitDiverged, MissingExtraError, RowspaceError, UsageError, reason_of

try:
    import torch
    from torch.distributed import HashStore  # type: ignore[attr-defined]  # public, but not in a stub
    from torch.distributed.distributed_c10d import PrefixStore, ProcessGroupGloo, ReduceOp, Store
    from torch.distributed.rendezvous import rendezvous
except ImportError as error:
    raise MissingExtraError("learning on several machines needs PyTorch: pip install 'rowspace[torch]'") from error

__all__ = ["FailedElsewhere", "Machines", "processes_started"]

CONNECTING = timedelta(minutes=5)
WAITING = timedelta(hours=2)  # for the slowest machine; that a process has ended is noticed at once
BLOCK = 1 << 20  # numbers that are exchanged at a time
NOT_FOUND = (
    "not all processes have found each other; check that all were started, and that their machines reach each other "
    "(GLOO_SOCKET_IFNAME names the network interface)"
)
LOST = "the connection to another process is lost: it has ended, or the network fails"
FAILED, DIVERGED = 1, 2
VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


class FailedElsewhere(RowspaceError):
    """Another process has failed, and has reported why.

    Attributes:
        diverged: Whether its learning has diverged.
    """

    diverged = False


def processes_started() -> tuple[int, int]:
    """Return the rank of this process and the number of processes that torchrun has started; (0, 1) without it.

    Raises:
        UsageError: A variable of torchrun is missing or is not a number.
    """
    if os.environ.get("WORLD_SIZE", "1") == "1":
        return 0, 1
    missing = [name for name in VARIABLES if name not in os.environ]
    if missing:
        raise UsageError(f"WORLD_SIZE is set, but {missing[0]} is not; start the processes with torchrun")
    try:
        return int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    except ValueError as error:
        raise UsageError(f"RANK and WORLD_SIZE must be numbers ({error}); start the processes with torchrun") from error


class Machines:
    """The processes of a fit, one or more on each machine.

    Args:
        store: Where the processes find each other.
        rank: The number of this process, from 0.
        size: The number of processes.
        host: The name or address of the first machine.
        connecting: How long to wait for the others.

    Attributes:
        rank: The number of this process.
        size: The number of processes.
        sent: The bytes of rows that this process has passed to all-reduce.
        remedy: What to do if a process is lost, for messages.
        stop: Set it to stop the fit once rows are learned, as Ctrl-C does.
        is_learning: Whether rows are learned.

    Raises:
        RowspaceError: The other processes are not found.
    """

    def __init__(
        self, store: Store, rank: int = 0, size: int = 1, host: str = "localhost", *, connecting: timedelta = CONNECTING
    ) -> None:
        self.rank, self.size, self.sent = rank, size, 0
        self.remedy = "nothing is saved, so start the fit again"
        self.stop, self.is_learning = threading.Event(), False
        self._store = store
        with self._reporting(NOT_FOUND):
            options = ProcessGroupGloo._Options()  # type: ignore[attr-defined]  # not in a stub
            options._timeout = connecting
            options._devices = _devices(store, rank, size, host, connecting)
            self._group: Any = ProcessGroupGloo(PrefixStore("rowspace", store), rank, size, options)
        self._group.set_timeout(WAITING)

    @classmethod
    def of_torchrun(cls) -> Self:
        """Return the processes that torchrun has started, or this one alone; raises as `processes_started`."""
        rank, size = processes_started()
        if size == 1:
            return cls(HashStore())
        try:
            store = next(rendezvous("env://", rank, size, timeout=CONNECTING))[0]
        except (RuntimeError, ValueError, OSError) as error:
            raise RowspaceError(
                f"the first machine is not found at {os.environ.get('MASTER_ADDR')}:{os.environ.get('MASTER_PORT')} "
                f"({reason_of(error)}); check that all machines reach it"
            ) from error
        return cls(store, rank, size, os.environ["MASTER_ADDR"])

    @contextmanager
    def together(self) -> Iterator[None]:
        """Run a block on all machines, and fail on all of them if it fails on one; nothing is sent inside."""
        failure = None
        try:
            yield
        except Exception as error:  # to tell the others, which would wait forever
            failure = error
        kinds = self.numbers(0 if failure is None else DIVERGED if isinstance(failure, FitDiverged) else FAILED)
        failed = np.flatnonzero(kinds)
        if failure is not None and failed[0] == self.rank:
            raise failure
        if len(failed):
            elsewhere = FailedElsewhere(f"machine {failed[0] + 1} of {self.size} has failed")
            elsewhere.diverged = bool(kinds.max() == DIVERGED)
            raise elsewhere

    def mean(self, rows: NDArray[np.float32]) -> None:
        """Replace rows, (n, dim), by their means over all machines."""
        for part in self._parts(rows):
            np.multiply(self._sum(rows[part].copy()), np.float32(1 / self.size), out=rows[part])

    def adaptive_sum(self, rows: NDArray[np.float32], before: NDArray[np.float32]) -> None:
        """Add the changes of all machines: the sum of orthogonal changes, the mean of equal ones.

        A row with the changes δ becomes `before` + Σδ · min(1, Σ‖δ‖² / ‖Σδ‖²), and so does `before`.

        Args:
            rows: (n, dim) those of this machine.
            before: (n, dim) those that all machines had after the last merge.
        """
        for part in self._parts(rows):
            change = rows[part] - before[part]
            squares = self._sum(_squares(change))
            total = _squares(self._sum(change))
            times = np.divide(squares, total, out=np.ones_like(total), where=squares < total)
            before[part] += times[:, None] * change
            rows[part] = before[part]

    def copy(self, rows: NDArray[np.float32]) -> None:
        """Replace rows, (n, dim), by those of the first machine."""
        for part in self._parts(rows):
            self._call(lambda tensor: self._group.broadcast(tensor, 0), rows[part])

    def _parts(self, rows: NDArray[np.float32]) -> Iterator[slice]:
        """Yield which rows are exchanged at a time; none if there are no other machines."""
        at_once = max(1, BLOCK // max(1, rows.shape[1]))
        for start in range(0, len(rows) if self.size > 1 else 0, at_once):
            yield slice(start, start + at_once)

    def _sum(self, block: NDArray[np.float32]) -> NDArray[np.float32]:
        """Replace numbers by their sums over all machines, and return them."""
        self._call(self._group.allreduce, block)
        self.sent += block.nbytes
        return block

    def numbers(self, number: float) -> NDArray[np.float64]:
        """Return a number of each machine."""
        found = np.zeros(self.size)
        found[self.rank] = number
        self._call(lambda tensor: self._group.allreduce(tensor, ReduceOp.SUM), found)
        return found

    def broadcast(self, data: bytes) -> bytes:
        """Return the bytes that the first machine gives."""
        size = int(self.numbers(len(data))[0])
        found = np.frombuffer(data, np.uint8).copy() if self.rank == 0 else np.empty(size, np.uint8)
        self._call(lambda tensor: self._group.broadcast(tensor, 0), found)
        return found.tobytes()

    def gather(self, data: bytes) -> Iterator[bytes]:
        """Yield the bytes of each machine in turn, on the first one; nothing on the others, which must iterate too."""
        sizes = self.numbers(len(data)).astype(int)
        if self.rank > 0:
            own = np.frombuffer(data, np.uint8).copy()
            self._call(lambda tensor: self._group.send([tensor], 0, 0), own)
            return
        yield data
        for rank in range(1, self.size):
            found = np.empty(sizes[rank], np.uint8)
            self._call(partial(self._receive, rank), found)
            yield found.tobytes()

    def _receive(self, rank: int, tensor: torch.Tensor) -> Any:
        return self._group.recv([tensor], rank, 0)

    def _call(self, begin: Callable[[torch.Tensor], Any], array: NDArray[Any]) -> None:
        """Begin to exchange an array, and wait until it is done."""
        with self._reporting(f"{LOST}; {self.remedy}"):
            begin(torch.from_numpy(array)).wait()

    @contextmanager
    def _reporting(self, what: str) -> Iterator[None]:
        """Translate an error of the network, in the first process that has one."""
        try:
            yield
        except (RuntimeError, OSError, ValueError) as error:
            if not self._is_first_to_report():
                raise FailedElsewhere(what) from error
            noticed = f"noticed by machine {self.rank + 1} of {self.size}, {socket.gethostname()}"
            raise RowspaceError(f"{what} ({noticed})") from error

    def _is_first_to_report(self) -> bool:
        try:
            self._store.set_timeout(timedelta(seconds=2))
            return bool(self._store.add("rowspace/reported", 1) == 1)
        except RuntimeError:  # its machine is the lost one
            return True


def _squares(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the squared lengths of rows."""
    squares: NDArray[np.float32] = np.einsum("nd,nd->n", rows, rows)
    return squares


def _devices(store: Store, rank: int, size: int, host: str, waiting: timedelta) -> list[Any]:
    """Return the devices for connections; by default gloo takes that of this machine's name, often the loopback one."""
    address = _address(store, rank, size, host, waiting)
    names = [name.strip() for name in os.environ.get("GLOO_SOCKET_IFNAME", "").split(",")]
    chosen = [ProcessGroupGloo.create_device(interface=name) for name in names if name]
    return chosen or [ProcessGroupGloo.create_device(hostname=address)]


def _address(store: Store, rank: int, size: int, host: str, waiting: timedelta) -> str:
    """Return the address of this machine that the others reach, and tell them that it has one."""
    own = _address_towards(host)
    keys = [f"rowspace/address-{each}" for each in range(size)]
    store.set(keys[rank], own)
    if _is_reachable(own):
        return own
    # on the first machine, its own name often resolves to a loopback address
    store.wait(keys, waiting)
    addresses = [store.get(key).decode() for key in keys]
    return next((_address_towards(each) for each in addresses if _is_reachable(each)), own)


def _is_reachable(address: str) -> bool:
    """Whether an address means the same machine everywhere.

    >>> [_is_reachable(each) for each in ("10.1.0.1", "127.0.1.1", "fe80::1%eth0")]
    [True, False, False]
    """
    found = ip_address(address)
    return not (found.is_loopback or found.is_link_local)


def _address_towards(host: str) -> str:
    """Return the address that this machine has for another one, of IPv4 if there is one; nothing is sent."""
    found = socket.getaddrinfo(host, 1, type=socket.SOCK_DGRAM)
    family, kind, _, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
    with socket.socket(family, kind) as probe:
        probe.connect(address)
        own: str = probe.getsockname()[0]
    return own
