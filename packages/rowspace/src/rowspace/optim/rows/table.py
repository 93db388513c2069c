"""The rows of one parameter, each of which may be some steps behind: `RowTable`."""

import abc
import functools
import threading
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers._torch_private import call_plainly
from rowspace.layers.inputs._memory_pool import LARGE, pooled_empty
from rowspace.optim.rows.history import BOUND, History
from rowspace.optim.rows.segments import Segments, distinct_rows, summed_gradient

__all__ = ["RowTable", "rows_of"]

P = ParamSpec("P")
R = TypeVar("R")

# Of the rows that torch operations bring up to date at once; they take up to 100 times the memory.
NUMBERS_ON_DEVICE = 2**22
SWEEPS = 128  # parts in which all rows are visited
KERNEL_DTYPES = (torch.float32, torch.float64)
ID_DTYPES = (torch.int64, torch.int32)


def rows_of(parameter: Tensor) -> Tensor:
    """The memory of a parameter (V, d), whose rows may be behind: operations on the result do not catch them up."""
    rows: Tensor = call_plainly(Tensor.detach, (parameter,))
    return rows


def _locked(method: Callable[Concatenate["RowTable", P], R]) -> Callable[Concatenate["RowTable", P], R]:
    """Let one thread at a time bring rows up to date, which takes steps that must not be taken twice."""

    @functools.wraps(method)
    def locked(self: "RowTable", /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._lock, torch.no_grad():
            return method(self, *args, **kwargs)

    return locked


class RowTable(abc.ABC):
    """The state of one parameter (V, d): for each row, the step to which its values and its moments are up to date.

    Subclasses define the rule of an optimizer: what a step without a gradient does to a row, and one with a gradient.
    Rows are updated by Numba kernels on the CPU, and by torch operations elsewhere.

    Args:
        parameter: The parameter.
        state: The optimizer's state of it, which holds the moments.
        now: The number of steps so far, to which all rows are up to date.
        bound: Steps that a row may be behind.
    """

    def __init__(self, parameter: nn.Parameter, state: dict[str, Any], *, now: int = 0, bound: int = BOUND) -> None:
        self.parameter = parameter
        self.state = state
        self._lock = threading.RLock()
        self._kind = _kind(parameter)
        self._fits: bool | None = True  # None if it must be checked again
        self._rows: Tensor | None = None
        self.history = self.new_history(now, bound)
        size, device = parameter.shape[0], parameter.device
        self.value_steps = torch.full((size,), now, dtype=torch.int64, device=device)
        self.moment_steps = torch.full_like(self.value_steps, now if now else -1)
        self.is_dense = False
        self._may_be_written = False  # whether the parameter may differ from its copy in float32
        self.use_kernels = True
        self._read_at = -1  # the step at which all values were brought up to date last
        self._sweep_position = 0
        self._last_ids: tuple[NDArray[np.int64], Segments] | None = None

    @property
    def values(self) -> Tensor:
        """The rows that are updated: the parameter, or its copy in float32."""
        master: Tensor | None = self.state.get("master")
        if master is not None:
            return master
        if self._rows is None:
            self._rows = rows_of(self.parameter)
        return self._rows

    def note_access(self) -> None:
        """Declare that something may write to the parameter, or give it other memory."""
        self._may_be_written = True
        self._rows = self._fits = None

    def fits(self) -> bool:
        """Whether the parameter still has the size, dtype and device for which the state was made."""
        if self._fits is None:
            self._fits = _kind(self.parameter) == self._kind
        return self._fits

    @property
    def now(self) -> int:
        """The number of steps so far."""
        return self.history.now

    @_locked
    def catch_up(self, ids: Tensor) -> None:
        """Bring the values of the rows `ids` (any shape) up to date; ids out of range or not integers are ignored."""
        if self.is_dense or self.now == self.history.first or ids.dtype not in ID_DTYPES or not self.fits():
            return
        ids = ids.detach().reshape(-1)
        if self.runs_kernels() and ids.is_cpu:
            steps = self.value_steps.numpy()
            array = ids.numpy()
            array = array[(array >= 0) & (array < len(steps))]
            self._bring(distinct_rows(array[steps[array] < self.now].astype(np.int64, copy=False)))
            return
        ids = ids.to(self.value_steps.device, torch.int64)
        ids = ids[(ids >= 0) & (ids < len(self.value_steps))].unique()
        self._bring_on_device(ids[self.value_steps[ids] < self.now])

    def segments_to_read(self, ids: Any) -> Segments | None:
        """The rows of `ids` (...) for `read`; None if they cannot be read in this way, or an id is out of range."""
        if self.is_dense or "master" in self.state or not self.fits() or not self.runs_kernels():
            return None
        if not isinstance(ids, Tensor) or not ids.is_cpu or ids.dtype not in ID_DTYPES or not ids.numel():
            return None
        array = ids.detach().reshape(-1).numpy()
        is_valid = array.min() >= 0 and array.max() < len(self.value_steps)
        return self._segments_of(array) if is_valid else None

    @_locked
    def read(self, segments: Segments, shape: torch.Size) -> Tensor:
        """Bring rows up to date and read them in one pass: those of ids of this shape (...), as (..., d)."""
        width, dtype = self.values.shape[1], self.values.dtype
        is_large = dtype == torch.float32 and 4 * shape.numel() * width >= LARGE
        rows = pooled_empty(*shape, width) if is_large else self.values.new_empty(*shape, width)
        self.catch_up_with_kernel(segments, rows.view(-1, width).numpy(), finish=False)
        return rows

    def _segments_of(self, ids: NDArray[Any], *, are_distinct: bool = False) -> Segments:
        """Sort ids; those of a step are mostly the ids that were read last."""
        last = self._last_ids
        if last is not None and np.array_equal(last[0], ids):
            return last[1]
        segments = Segments.of_ids(ids.astype(np.int64, copy=False), are_distinct=are_distinct)
        self._last_ids = ids.copy(), segments
        return segments

    @_locked
    def catch_up_all(self) -> bool:
        """Bring the values of all rows up to date, and return whether one was behind."""
        if self.is_dense or self._read_at == self.now or not self.fits():
            return False
        rows = (self.value_steps < self.now).nonzero()[:, 0]
        if self.runs_kernels():
            self._bring(rows.numpy())
        else:
            self._bring_on_device(rows)
        self._read_at = self.now
        return len(rows) > 0

    @_locked
    def flush(self) -> None:
        """Bring all rows and their moments up to date."""
        if not self.fits():
            return
        self.take_written_rows()
        if not self.is_dense:
            self._finish(0, len(self.value_steps), self.now)

    @_locked
    def take_written_rows(self, *, last: bool = False) -> None:
        """Copy rows that something else wrote to a parameter of lower precision to its copy in float32.

        Args:
            last: Whether nothing can write any more through what was accessed, as after a step.
        """
        master = self.state.get("master")
        if self._may_be_written and master is not None:
            rows = rows_of(self.parameter)
            master.copy_(torch.where(rows == master.to(rows.dtype), master, rows.float()))
        self._may_be_written &= not last

    def count_behind(self, gradient: Tensor) -> int:
        """The number of rows with a gradient, sparse or dense, that are not up to date."""
        if self.is_dense or self.now == self.history.first or not self.fits():
            return 0
        if gradient.is_sparse and gradient.is_cpu:
            ids = gradient._indices()[0].numpy()
            behind = self.value_steps.numpy()[ids] < self.now  # in torch this takes longer for a few ids
            return len(distinct_rows(ids[behind])) if behind.any() else 0
        if gradient.is_sparse:
            rows = gradient._indices()[0]
            return len(rows[self.value_steps[rows] < self.now].unique())
        return int(((self.value_steps < self.now) & gradient.any(1)).sum())

    def restart(self, now: int) -> None:
        """Declare that all rows are up to date at the step `now`, and forget the steps before."""
        self.history = self.new_history(now, self.history.bound)
        self.value_steps.fill_(now)
        self.moment_steps.fill_(now)
        self.is_dense = False
        self._read_at = -1

    @_locked
    def step(self, gradient: Tensor, group: dict[str, Any]) -> None:
        """Update the rows of a sparse gradient."""
        self._check(gradient)
        self.take_written_rows(last=True)
        if self.runs_kernels() and gradient.is_cpu:
            segments = self._segments_of(gradient._indices()[0].numpy(), are_distinct=gradient.is_coalesced())
            values = gradient._values().detach().to(self.values.dtype).contiguous()
            self._bring(segments.rows[self.value_steps.numpy()[segments.rows] < self.now])
            self.append(group)
            if len(segments.rows):
                self.step_with_kernel(segments, values.numpy(), group)
            rows = torch.from_numpy(segments.rows)
            for steps in (self.value_steps, self.moment_steps):
                steps.numpy()[segments.rows] = self.now  # in torch this starts threads
        else:
            rows, values = summed_gradient(gradient, self.values.dtype)
            self._bring_on_device(rows[self.value_steps[rows] < self.now])
            self.append(group)
            self.step_in_torch(rows, values, group)
            self.value_steps[rows] = self.moment_steps[rows] = self.now
        self._round(rows)
        self._sweep()
        torch.autograd.graph.increment_version(rows_of(self.parameter))  # for graphs that have saved the table

    def _check(self, gradient: Tensor) -> None:
        if not self.fits():
            before, now = (
                f"{list(shape)} {dtype} on {device}" for shape, dtype, device in (self._kind, _kind(self.parameter))
            )
            raise UsageError(
                f"the table was {before} when the optimizer took its first step, and is {now} now; create the "
                "optimizer again after changing the model"
            )
        if gradient.sparse_dim() != 1 or gradient.shape != self.parameter.shape:
            raise UsageError(
                f"the gradient must be a sparse (V, d) tensor of rows, not one of shape {list(gradient.shape)} with "
                f"{gradient.sparse_dim()} sparse dimensions"
            )

    def runs_kernels(self) -> bool:
        """Whether the rows are on the CPU, in a dtype and layout that the kernels support."""
        values = self.values
        return self.use_kernels and values.is_cpu and values.dtype in KERNEL_DTYPES and values.is_contiguous()

    def _sweep(self) -> None:
        """Finish rows that are half of the bound behind, a part of all rows at a time, so that no step is slow."""
        half = self.history.bound // 2
        every = max(1, half // SWEEPS)
        if self.now % every:
            return
        size = len(self.value_steps)
        begin = self._sweep_position
        end = min(size, begin - (-size * every // half))
        self._sweep_position = end % size
        self._finish(begin, end, self.now - half)

    def _finish(self, begin: int, end: int, before: int) -> None:
        """Bring the rows of a range whose values or moments are older than the step `before` up to date."""
        values, moments = self.value_steps[begin:end], self.moment_steps[begin:end]
        rows = ((values < before) | ((moments >= 0) & (moments < before))).nonzero()[:, 0] + begin
        if len(rows) and self.runs_kernels():
            self._bring(rows.numpy(), finish=True)
        elif len(rows):
            self._bring_on_device(rows, finish=True)

    def _bring(self, rows: NDArray[np.int64], *, finish: bool = False) -> None:
        if len(rows):
            nothing = np.empty((0, self.values.shape[1]), self.values.numpy().dtype)
            self.catch_up_with_kernel(Segments.of_ids(rows, are_distinct=True), nothing, finish=finish)
            self._round(torch.from_numpy(rows))

    def _bring_on_device(self, rows: Tensor, *, finish: bool = False) -> None:
        if not len(rows):
            return
        for some in rows.split(max(1, NUMBERS_ON_DEVICE // self.values.shape[1])):
            self.catch_up_in_torch(some, finish)
        self.value_steps[rows] = self.now
        if finish:
            since = self.moment_steps[rows]
            self.moment_steps[rows] = torch.where(since >= 0, self.now, since)
        self._round(rows)

    def _round(self, rows: Tensor) -> None:
        """Write rows of the float32 copy to a parameter of lower precision."""
        master = self.state.get("master")
        if master is not None and len(rows):
            rows_of(self.parameter)[rows] = master[rows].to(self.parameter.dtype)

    def oldest(self, rows: NDArray[np.int64]) -> int:
        """The earliest step to which the values of one of the rows are up to date."""
        return int(self.value_steps.numpy()[rows].min())

    @abc.abstractmethod
    def new_history(self, now: int, bound: int) -> History:
        """An empty history that starts at the step `now`."""

    @abc.abstractmethod
    def append(self, group: dict[str, Any]) -> None:
        """Append the hyperparameters of the next step to the history."""

    @abc.abstractmethod
    def catch_up_with_kernel(self, segments: Segments, output: NDArray[Any], *, finish: bool) -> None:
        """Bring rows up to date, with `finish` their moments too, and copy each to its places in `output` (N, d).

        An `output` of no rows gets no copies.
        """

    @abc.abstractmethod
    def catch_up_in_torch(self, rows: Tensor, finish: bool) -> None:
        """The same in torch operations."""

    @abc.abstractmethod
    def step_with_kernel(self, segments: Segments, gradients: NDArray[Any], group: dict[str, Any]) -> None:
        """Take the last step of the history for rows that are at the step before; `gradients` (N, d) are per id."""

    @abc.abstractmethod
    def step_in_torch(self, rows: Tensor, gradients: Tensor, group: dict[str, Any]) -> None:
        """The same in torch operations."""


def _kind(parameter: Tensor) -> tuple[torch.Size, torch.dtype, torch.device]:
    """What must not change while an optimizer has a state of the parameter."""
    return parameter.shape, parameter.dtype, parameter.device
