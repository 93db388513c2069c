"""Rows under AdamW: `AdamRows`."""

import math
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.optim.kernels import adam as kernels
from rowspace.optim.rows.history import History
from rowspace.optim.rows.segments import Segments, run_ranges
from rowspace.optim.rows.table import RowTable
from rowspace.optim.rules.adam_torch import catch_up_rows, step_rows

__all__ = ["AdamRows"]

TOLERANCES = {torch.float32: 1e-8, torch.float64: 1e-15}  # relative error of a catch-up
MIN_BETA = 1e-300  # replaces a β of 0, whose logarithm is infinite


class AdamRows(RowTable):
    """Rows that equal those of AdamW on the dense gradient once they are caught up.

    The state has `exp_avg` and `exp_avg_sq`, and for amsgrad `max_exp_avg_sq`.
    """

    def new_history(self, now: int, bound: int) -> History:
        """An empty history that starts at the step `now`, and its table."""
        history = History([0.0] * kernels.HISTORY, now=now, bound=bound)
        self.table = np.zeros((len(history.lines), kernels.TABLE))
        self._table_of = (-1, -1)  # the step for which the table was made, and its first line
        self._tolerance = TOLERANCES[self.values.dtype]
        return history

    @property
    def amsgrad(self) -> bool:
        """Whether the denominator is the largest second moment so far."""
        return "max_exp_avg_sq" in self.state

    @property
    def denominators(self) -> Tensor:
        """The second moments or their maxima (V, d)."""
        name = "max_exp_avg_sq" if self.amsgrad else "exp_avg_sq"
        return cast(Tensor, self.state[name])

    def append(self, group: dict[str, Any]) -> None:
        """Append lr, weight decay, betas and eps of the next step."""
        if group["amsgrad"] != self.amsgrad:
            raise UsageError(
                f"amsgrad cannot change to {group['amsgrad']} after the first step of a table; make another optimizer"
            )
        lr, weight_decay, eps = float(group["lr"]), float(group["weight_decay"]), float(group["eps"])
        beta1, beta2 = (float(beta) for beta in group["betas"])
        before, number = self.history.line(self.now), self.now + 1
        kept1, kept2 = max(beta1, MIN_BETA), max(beta2, MIN_BETA)
        line = [
            lr / (1 - beta1**number), 1 - lr * weight_decay, kept1, kept2, eps, math.sqrt(1 - beta2**number),
            before[kernels.LOG_B1] + math.log(kept1), before[kernels.LOG_B2] + math.log(kept2),
        ]  # fmt: skip
        self.history.append(line)

    def table_since(self, oldest: int) -> NDArray[np.float64]:
        """The table of `kernels.adam` for rows that were last updated at the step `oldest` or later."""
        first = self.history.first
        made_for, complete = self._table_of
        if made_for != self.now:
            complete = self.now
            self.table[complete - first] = 0
            self.table[complete - first, [kernels.P, kernels.U1, kernels.U2, kernels.U_MIN]] = 1, 1, 1, np.inf
            self.table[complete - first, kernels.X_MIN] = -1
        if oldest < complete:
            kernels.extend_table(
                self.history.lines, self.table, oldest - first, complete - 1 - first, self.amsgrad, self._tolerance
            )
        self._table_of = self.now, min(oldest, complete)
        return self.table

    def catch_up_with_kernel(self, segments: Segments, output: NDArray[Any], *, finish: bool) -> None:
        """Bring rows up to date and copy them to `output`; with `finish` their moments too."""
        self.table_since(self.oldest(segments.rows))
        past, state = self._past(), self._arrays()

        def work(begin: int, end: int) -> None:
            scratch = np.empty((2, state.values.shape[1]), state.values.dtype)
            kernels.catch_up_rows(segments, begin, end, past, state, finish, scratch, output)

        run_ranges(work, segments, state.values.shape[1])

    def step_with_kernel(self, segments: Segments, gradients: NDArray[Any], group: dict[str, Any]) -> None:
        """Take the last step of the history for the rows of a gradient, which are at the step before."""
        past, state, sign = self._past(), self._arrays(), -1 if group["maximize"] else 1

        def work(begin: int, end: int) -> None:
            scratch = np.empty(state.values.shape[1], state.values.dtype)
            kernels.step_rows(segments, gradients, begin, end, past, state, sign, scratch)

        run_ranges(work, segments, state.values.shape[1])

    def catch_up_in_torch(self, rows: Tensor, finish: bool) -> None:
        """The same in torch operations."""
        oldest = int(self.value_steps[rows].min())
        catch_up_rows(self, rows, self.table_since(oldest), self._tolerance, finish=finish)

    def step_in_torch(self, rows: Tensor, gradients: Tensor, group: dict[str, Any]) -> None:
        """The same in torch operations."""
        step_rows(self, rows, -gradients if group["maximize"] else gradients)

    def _past(self) -> kernels.Past:
        """The history and the table."""
        return kernels.Past(self.history.lines, self.table, self.history.first, self.now, self._tolerance, self.amsgrad)

    def _arrays(self) -> kernels.State:
        """Values, first and second moments, denominators and their steps as arrays."""
        moments = self.state["exp_avg"], self.state["exp_avg_sq"], self.denominators
        tensors = self.value_steps, self.moment_steps, self.values, *moments
        return kernels.State(*(tensor.numpy() for tensor in tensors))
