"""Deferred AdamW in torch operations: the same as `kernels.adam`, for other devices and for reading."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rowspace.optim.kernels import adam as columns
from rowspace.optim.rows.table import RowTable

__all__ = ["catch_up_rows", "step_rows"]


def catch_up_rows(table: RowTable, rows: Tensor, lines: NDArray[np.float64], *, finish: bool) -> None:
    """Bring rows (n,) to the present step; with `finish` their moments too.

    p_t = P(s, t) · p_s - m_s · f(√v_s), see `kernels.adam`.
    """
    values, first = table.values, table.state["exp_avg"]
    at, since = table.value_steps[rows], table.moment_steps[rows]
    has_moments = (since >= 0).unsqueeze(1)
    nodes = _on(values, lines[: len(table.history.used_lines)])[at - table.history.first].unsqueeze(
        2
    )  # (n, columns, 1)
    logs = _on(values, table.history.used_lines, torch.float64)
    sums = logs[at - table.history.first] - logs[since.clamp(min=table.history.first) - table.history.first]
    moment = torch.where(has_moments, _scaled(first[rows], sums[:, columns.LOG_B1]), 0)
    if "max_exp_avg_sq" in table.state:
        x = table.state["max_exp_avg_sq"][rows].sqrt()
    else:
        x = _scaled(table.state["exp_avg_sq"][rows].sqrt(), sums[:, columns.LOG_B2] / 2)
    f = nodes[:, columns.W1] / (x + nodes[:, columns.U1]) + nodes[:, columns.W2] / (x + nodes[:, columns.U2])
    inexact = ((x < nodes[:, columns.X_MIN]) & (moment != 0)).any(1).nonzero()[:, 0]
    if len(inexact):
        f[inexact] = _exact_sums(table, lines, at[inexact], x[inexact])
    values[rows] = values[rows] * nodes[:, columns.P] - moment * f
    if finish:
        _decay_moments(table, rows, since)


def _exact_sums(table: RowTable, lines: NDArray[np.float64], at: Tensor, x: Tensor) -> Tensor:
    """f(x) term by term for rows that were last updated at the steps `at`; x is (n, d)."""
    total = torch.zeros_like(x)
    product1 = torch.ones(len(at), 1, dtype=torch.float64, device=x.device)
    product2 = product1.clone()
    for j in range(int(at.min()) + 1, table.now + 1):
        step = table.history.line(j)
        missed = (at < j).unsqueeze(1)
        product1[missed] *= step[columns.BETA1]
        if "max_exp_avg_sq" not in table.state:
            product2[missed] *= step[columns.BETA2]
        c = lines[j - table.history.first, columns.P] * step[columns.RATE] * product1
        r = product2.sqrt() / step[columns.ROOT_BC2]
        total += torch.where(missed, c.to(x) / (r.to(x) * x + step[columns.EPS]), 0)
    return total


def _decay_moments(table: RowTable, rows: Tensor, since: Tensor) -> None:
    """Bring the moments of rows to the present step."""
    with_moments = since >= 0
    rows, since = rows[with_moments], since[with_moments]
    logs = _on(table.values, table.history.used_lines, torch.float64)
    sums = logs[table.now - table.history.first] - logs[since - table.history.first]
    for name, column in (("exp_avg", columns.LOG_B1), ("exp_avg_sq", columns.LOG_B2)):
        table.state[name][rows] = _scaled(table.state[name][rows], sums[:, column])


def step_rows(table: RowTable, rows: Tensor, gradients: Tensor) -> None:
    """The present step of AdamW for rows (n,) that are at the step before, with the gradients (n, d)."""
    state, values, step = table.state, table.values, table.history.line(table.now)
    since = table.moment_steps[rows]
    logs = _on(values, table.history.used_lines, torch.float64)
    sums = logs[table.now - table.history.first] - logs[since.clamp(min=table.history.first) - table.history.first]
    sums = torch.where((since >= 0).unsqueeze(1), sums, -torch.inf)
    first = _scaled(state["exp_avg"][rows], sums[:, columns.LOG_B1]) + (1 - step[columns.BETA1]) * gradients
    second = _scaled(state["exp_avg_sq"][rows], sums[:, columns.LOG_B2])
    second += (1 - step[columns.BETA2]) * gradients.square()
    state["exp_avg"][rows], state["exp_avg_sq"][rows] = first, second
    if "max_exp_avg_sq" in state:
        second = torch.maximum(state["max_exp_avg_sq"][rows], second)
        state["max_exp_avg_sq"][rows] = second
    update = first / (second.sqrt() / step[columns.ROOT_BC2] + step[columns.EPS])
    values[rows] = values[rows] * step[columns.DECAY] - step[columns.RATE] * update


def _scaled(rows: Tensor, logs: Tensor) -> Tensor:
    """Rows (n, d) times the exponentials of `logs` (n,), which are computed in float64."""
    return rows * logs.exp().to(rows).unsqueeze(1)


def _on(like: Tensor, array: NDArray[np.float64], dtype: torch.dtype | None = None) -> Tensor:
    """An array as a tensor on the device of another, in its dtype."""
    return torch.from_numpy(array).to(like.device, dtype or like.dtype)
