"""Deferred AdamW in torch operations: the same as `kernels.adam`, for other devices and for reading."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rowspace.optim.kernels import adam as columns
from rowspace.optim.rows.table import RowTable

__all__ = ["catch_up_rows", "step_rows"]

FIRST_TERMS = 32  # of the exact sums, after which the host waits for the device to say which rows are done


def catch_up_rows(table: RowTable, rows: Tensor, lines: NDArray[np.float64], tolerance: float, *, finish: bool) -> None:
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
        f[inexact] = _exact_sums(table, lines, at[inexact], x[inexact], tolerance)
    values[rows] = values[rows] * nodes[:, columns.P] - moment * f
    if finish:
        _decay_moments(table, rows, since)


def _exact_sums(table: RowTable, lines: NDArray[np.float64], at: Tensor, x: Tensor, tolerance: float) -> Tensor:
    """f(x) of rows that were last updated at the steps `at` (n,), term by term; x is (n, d).

    As in `kernels.adam`, a row is done when the remaining terms are below the tolerance.
    """
    result = torch.zeros_like(x)
    steps = _on(x, table.history.used_lines, torch.float64)
    nodes = _on(x, lines[: len(steps)], torch.float64)
    last = len(steps) - 1
    amsgrad = "max_exp_avg_sq" in table.state
    left, place = torch.arange(len(at), device=x.device), at - table.history.first
    kind = nodes[place, columns.EXACT]
    product1 = torch.ones(len(at), 1, dtype=torch.float64, device=x.device)
    product2 = product1[:1] if amsgrad else product1
    while len(left):
        count = min(FIRST_TERMS * len(at) // len(left), len(steps))  # as much memory for fewer rows
        terms = torch.arange(1, count + 1, device=x.device)
        at_term = place.unsqueeze(1) + terms  # (n, terms)
        is_missed = at_term <= last
        at_term.clamp_(max=last)
        step = steps[at_term].unbind(2)
        product1 = product1 * torch.where(is_missed, step[columns.BETA1], 1).cumprod(1)
        if not amsgrad:
            product2 = product2 * torch.where(is_missed, step[columns.BETA2], 1).cumprod(1)
        c = torch.where(is_missed, nodes[at_term, columns.P] * step[columns.RATE] * product1, 0)
        r = product2.sqrt() / step[columns.ROOT_BC2]
        c, r, eps = (value.to(x).unsqueeze(2) for value in (c, r, step[columns.EPS]))
        total = result[left] + (c / (r * x.unsqueeze(1) + eps)).sum(1)
        result[left] = total
        product1, product2, place = product1[:, -1:], product2[:, -1:], at_term[:, -1]
        after = nodes[place].unsqueeze(2)  # (n, columns, 1)
        by_eps = product1 * after[:, columns.WORST]
        by_root = torch.where(kind.unsqueeze(1) == 0, product1 * after[:, columns.M0] / product2.sqrt(), torch.inf)
        is_small = ((by_eps <= tolerance * total) | (by_root <= tolerance * total * x)).all(1)
        goes_on = ((place < last) & ~(is_small & (kind != columns.CHANGES_SIGN))).nonzero()[:, 0]
        left, place, kind, x, product1 = left[goes_on], place[goes_on], kind[goes_on], x[goes_on], product1[goes_on]
        product2 = product2 if amsgrad else product2[goes_on]
    return result


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
