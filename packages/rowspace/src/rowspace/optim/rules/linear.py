"""Rows under SGD with momentum and under row-wise Adagrad, where missed steps are one linear map: `LinearRows`."""

import abc
import functools
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rowspace.optim.kernels import adagrad, sgd
from rowspace.optim.kernels.rows import LinearState
from rowspace.optim.rows.history import History
from rowspace.optim.rows.segments import Segments, run_ranges
from rowspace.optim.rows.table import RowTable

__all__ = ["AdagradRows", "LinearRows", "SgdRows"]


class LinearRows(RowTable):
    """Rows that are multiplied by the same numbers in each missed step; subclasses have the kernels and the numbers."""

    kernels: Any
    identity: tuple[float, ...]  # the first columns of the history, for no step

    def new_history(self, now: int, bound: int) -> History:
        """An empty history that starts at the step `now`, and its table of products."""
        history = History([0.0] * self.kernels.HISTORY, now=now, bound=bound)
        self.table = np.zeros((len(history.lines), len(self.identity)))
        return history

    def products_since(self, oldest: int) -> NDArray[np.float64]:
        """The table whose line s - first is the product of the steps after s."""
        now, first = self.now - self.history.first, self.history.first
        self.table[now] = self.identity
        self.kernels.extend_products(self.history.lines, self.table, oldest - first, now - 1)
        return self.table

    @property
    @abc.abstractmethod
    def moment(self) -> Tensor:
        """The momentum or the sum of squares."""

    def _arrays(self) -> LinearState:
        """Values, moments and their steps as arrays."""
        tensors = self.value_steps, self.moment_steps, self.values, self.moment
        return LinearState(*(tensor.numpy() for tensor in tensors))

    def catch_up_with_kernel(self, segments: Segments, output: NDArray[Any], *, finish: bool) -> None:
        """Bring rows up to date and copy them to `output`."""
        table, state = self.products_since(self.oldest(segments.rows)), self._arrays()

        def work(begin: int, end: int) -> None:
            self.kernels.catch_up_rows(segments, begin, end, table, self.history.first, self.now, state, output)

        run_ranges(work, segments, state.values.shape[1])

    def step_with_kernel(self, segments: Segments, gradients: NDArray[Any], group: dict[str, Any]) -> None:
        """Take the last step of the history for the rows of a gradient, which are at the step before."""
        state = self._arrays()
        line, sign = self.history.line(self.now), -1 if group["maximize"] else 1

        def work(begin: int, end: int) -> None:
            scratch = np.empty(state.values.shape[1], state.values.dtype)
            self.kernels.step_rows(segments, gradients, begin, end, line, state, sign, scratch)

        run_ranges(work, segments, state.values.shape[1])

    def lines_on_device(self, rows: Tensor) -> Tensor:
        """The products for rows (n,), as (columns, n, 1)."""
        since = self.value_steps[rows]
        table = torch.from_numpy(self.products_since(int(since.min()))).to(self.values)
        return table[since - self.history.first].T.unsqueeze(2)


class SgdRows(LinearRows):
    """Rows that equal those of SGD; the state has `momentum_buffer`, None before the first step with momentum."""

    kernels = sgd
    identity = (1.0, 0.0, 0.0, 1.0)

    @property
    def moment(self) -> Tensor:
        """The momentum (V, d); zeros before the first step with one."""
        buffer = self.state["momentum_buffer"]
        return cast(Tensor, self._zeros if buffer is None else buffer)

    @functools.cached_property
    def _zeros(self) -> Tensor:
        """The momentum before the first step with one."""
        return torch.zeros_like(self.values, memory_format=torch.preserve_format)

    def append(self, group: dict[str, Any]) -> None:
        """Append the matrix of the next step and its hyperparameters."""
        lr, decay, momentum = float(group["lr"]), float(group["weight_decay"]), float(group["momentum"])
        new = 1.0 - float(group["dampening"])
        if momentum != 0 and self.state["momentum_buffer"] is None:
            self.state["momentum_buffer"], new = self._zeros, 1.0  # torch starts with the gradient itself
        # update = of_value · p + of_buffer · b, where the new momentum is new · decay · p + momentum · b
        if momentum == 0:
            of_value, of_buffer, buffer = decay, 0.0, (0.0, 1.0)
        else:
            buffer = new * decay, momentum
            of_value, of_buffer = buffer
            if group["nesterov"]:
                of_value, of_buffer = decay + momentum * buffer[0], momentum * momentum
        matrix = [1 - lr * of_value, -lr * of_buffer, *buffer]
        self.history.append([*matrix, lr, decay, momentum, new, float(group["nesterov"])])

    def catch_up_in_torch(self, rows: Tensor, finish: bool) -> None:
        """Bring rows and their momentum up to date in torch operations."""
        a, b, c, d = self.lines_on_device(rows)
        value, buffer = self.values[rows], self.moment[rows]
        self.values[rows], self.moment[rows] = a * value + b * buffer, c * value + d * buffer
        self.moment_steps[rows] = self.now

    def step_in_torch(self, rows: Tensor, gradients: Tensor, group: dict[str, Any]) -> None:
        """The last step in torch operations."""
        line = self.history.line(self.now)
        update = (-gradients if group["maximize"] else gradients) + line[sgd.WEIGHT_DECAY] * self.values[rows]
        if line[sgd.MOMENTUM] != 0:
            buffer = line[sgd.MOMENTUM] * self.moment[rows] + line[sgd.NEW] * update
            self.moment[rows] = buffer
            update = update + line[sgd.MOMENTUM] * buffer if group["nesterov"] else buffer
        self.values[rows] -= line[sgd.RATE] * update


class AdagradRows(LinearRows):
    """Rows that equal those of row-wise Adagrad; the state has `sum` (V,)."""

    kernels = adagrad
    identity = (1.0,)

    @property
    def moment(self) -> Tensor:
        """The sum of the mean squared gradients (V,)."""
        return cast(Tensor, self.state["sum"])

    def append(self, group: dict[str, Any]) -> None:
        """Append the decay and the learning rate of the next step."""
        lr = float(group["lr"])
        rate = lr / (1 + self.now * float(group["lr_decay"]))
        self.history.append([1 - lr * float(group["weight_decay"]), rate, float(group["eps"])])

    def catch_up_in_torch(self, rows: Tensor, finish: bool) -> None:
        """Bring rows up to date in torch operations."""
        self.values[rows] *= self.lines_on_device(rows)[0]

    def step_in_torch(self, rows: Tensor, gradients: Tensor, group: dict[str, Any]) -> None:
        """The last step in torch operations."""
        line = self.history.line(self.now)
        self.moment[rows] += gradients.square().mean(1)
        rate = line[adagrad.RATE] / (self.moment[rows].sqrt() + line[adagrad.EPS]).unsqueeze(1)
        gradients = -gradients if group["maximize"] else gradients
        self.values[rows] = self.values[rows] * line[adagrad.DECAY] - rate * gradients
