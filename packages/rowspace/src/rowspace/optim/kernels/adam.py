"""The kernels of deferred AdamW: the table of one scalar set per age, the catch-up of rows, and the step.

A row with moments (m, v) at step s that has no gradient until step t moves by -m · f(√v), where
f(x) = Σ_j c_j / (r_j x + eps_j) over the missed steps j = s+1 … t, with c_j = P(j, t) · lr_j / bc1_j · Π β1 and
r_j = √(Π β2 / bc2_j). With w = c / r and u = eps / r this is Σ w_j / (x + u_j), the integral of 1 / (x + u) over a
positive measure, which two nodes of Gauss quadrature replace: w1 / (x + u1) + w2 / (x + u2). They follow from the
moments Σ w u^k, k = 0 … 3. The fourth bounds the error of the rule for all x above a threshold (the remainder of
quadrature; Golub & Meurant 2010); below it, f is summed term by term. All of these obey recurrences from s+1 to s, so a
table for all s at one t costs a few operations each.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel, prefetch
from rowspace.optim.kernels.rows import Rows, Steps, copy_row, prefetch_gradient, sum_gradients
from rowspace.optim.rows.segments import Segments

__all__ = ["HISTORY", "TABLE", "Past", "State", "catch_up_rows", "extend_table", "step_rows"]

# Columns of the history.
RATE, DECAY, BETA1, BETA2, EPS, ROOT_BC2, LOG_B1, LOG_B2 = range(8)
HISTORY = 8  # lr / bc1, 1 - lr · weight_decay, betas, eps, √bc2, and the sums of log β1 and log β2

# Columns of the table: P, the two nodes, the threshold for x; then what the recurrences need. EXACT says why the rule
# cannot be used: a β2 so small that the moments overflow, or weights of both signs.
P, W1, U1, W2, U2, X_MIN, WORST, U_MIN, EXACT, M0, M1, M2, M3, M4 = range(14)
TABLE = 14
OVERFLOWS, CHANGES_SIGN = 1.0, 2.0
LARGEST = 1e150  # of a moment, whose products with others must be finite too
TERMS_PER_CHECK = 16

Doubles = NDArray[np.float64]


class Past(NamedTuple):
    """The steps so far, and the table of one scalar set per age for rows at the last of them."""

    lines: Doubles  # (n, HISTORY)
    table: Doubles  # (n, TABLE)
    first: int  # the step of line 0
    now: int  # the last step
    tolerance: float
    amsgrad: bool


class State(NamedTuple):
    """All rows and their moments, and the steps that they are at; a row whose moments are at step -1 has none."""

    value_steps: Steps  # (V,)
    moment_steps: Steps  # (V,)
    values: Rows  # (V, d)
    firsts: Rows  # (V, d)
    seconds: Rows  # (V, d)
    denominators: Rows  # (V, d), the second moments, or with amsgrad their maxima


@kernel
def extend_table(lines: Doubles, table: Doubles, first: int, last: int, amsgrad: bool, tolerance: float) -> None:
    """Write the lines `last` down to `first` of the table; the line `last + 1` is complete.

    Line s has P(s, t) and f for a row last updated at s, where t is the last line that has been initialized.
    """
    for s in range(last, first - 1, -1):
        step, after, line = lines[s + 1], table[s + 1], table[s]
        root = 1.0 if amsgrad else np.sqrt(step[BETA2])
        size = abs(after[P])
        unit = step[EPS] * step[ROOT_BC2]
        term = size * step[RATE] * step[ROOT_BC2]
        factor = step[BETA1] / root
        line[EXACT] = CHANGES_SIGN if step[DECAY] < 0 else max(after[EXACT], OVERFLOWS if root < 1e-3 else 0.0)
        if line[EXACT] == 0:
            for power in range(5):
                line[M0 + power] = factor * (after[M0 + power] + term)
                term *= unit
                factor /= root
            line[U_MIN] = min(unit, after[U_MIN]) / root
            if not line[M4] < LARGEST:
                line[EXACT] = OVERFLOWS
        line[WORST] = step[BETA1] * (after[WORST] + size * step[RATE] / step[EPS])
        line[P] = after[P] * step[DECAY]
        _write_nodes(line, tolerance)


@kernel
def _write_nodes(line: Doubles, tolerance: float) -> None:
    """Nodes and weights of the two-point Gauss rule from its moments, and the least x for which it may be used."""
    total = line[M0]
    line[W1], line[U1], line[W2], line[U2], line[X_MIN] = 0.0, 1.0, 0.0, 1.0, -1.0
    if line[EXACT] != 0:
        line[X_MIN] = np.inf
        return
    if total < 1e-200:  # lr = 0, or the first moment has vanished
        return
    mean, second, third, fourth = line[M1] / total, line[M2] / total, line[M3] / total, line[M4] / total
    variance = second - mean * mean
    line[W1], line[U1], line[U2] = total, mean, mean
    if variance <= 1e-13 * mean * mean:
        return
    skew = (third - 3 * mean * second + 2 * mean * mean * mean) / variance
    kurtosis = fourth - 4 * mean * third + 6 * mean * mean * second - 3 * mean * mean * mean * mean
    root = np.sqrt(skew * skew + 4 * variance)
    low, high = mean + (skew - root) / 2, mean + (skew + root) / 2
    line[W1], line[W2] = total * (high - mean) / root, total * (mean - low) / root
    line[U1], line[U2] = low, high
    remainder = max(kurtosis - skew * skew * variance - variance * variance, 0.0)
    line[X_MIN] = np.sqrt(np.sqrt(remainder / tolerance * mean / line[U_MIN])) - line[U_MIN]


@kernel
def catch_up_rows(
    segments: Segments, begin: int, end: int, past: Past, state: State, finish: bool, scratch: Rows, output: Rows
) -> None:
    """Bring rows `begin` to `end` to the step `now`; with `finish` their moments too, which otherwise stay behind.

    The rows are also copied to `output`, see `copy_row`.
    """
    now, lines = past.now - past.first, past.lines
    for place in range(begin, end):
        row, following = segments.rows[place], segments.rows[min(place + 1, end - 1)]
        prefetch(state.values, following)
        prefetch(state.firsts, following)
        prefetch(state.denominators, following)
        value, since = state.values[row], state.moment_steps[row]
        if state.value_steps[row] < past.now:
            if since >= 0:
                _catch_up_row(past, state, row, scratch)
            else:
                _scale(value, past.table[state.value_steps[row] - past.first, P])
            state.value_steps[row] = past.now
        if finish and 0 <= since < past.now:
            _scale(state.firsts[row], np.exp(lines[now, LOG_B1] - lines[since - past.first, LOG_B1]))
            _scale(state.seconds[row], np.exp(lines[now, LOG_B2] - lines[since - past.first, LOG_B2]))
            state.moment_steps[row] = past.now
        copy_row(value, segments, place, output)


@kernel
def _scale(row: Rows, factor: float) -> None:
    """Multiply a row by a factor in place."""
    if factor != 1:
        scale = row.dtype.type(factor)
        for column in range(len(row)):
            row[column] *= scale


@kernel
def _catch_up_row(past: Past, state: State, row: int, scratch: Rows) -> None:
    """Bring one row to the last step; its moments stay."""
    lines = past.lines
    at, since = state.value_steps[row] - past.first, state.moment_steps[row] - past.first
    value, first, denominator = state.values[row], state.firsts[row], state.denominators[row]
    line = past.table[at]
    scale, root = 1.0, 1.0
    if since < at:
        scale = np.exp(lines[at, LOG_B1] - lines[since, LOG_B1])
        if not past.amsgrad:
            root = np.exp(0.5 * (lines[at, LOG_B2] - lines[since, LOG_B2]))
    real = value.dtype.type
    p, w1, w2 = real(line[P]), real(scale * line[W1]), real(scale * line[W2])
    u1, u2, x_scale = real(line[U1]), real(line[U2]), real(root)
    if line[X_MIN] > 0:
        below, least = 0, real((line[X_MIN] / root) ** 2)
        for column in range(len(value)):
            below += (first[column] != 0) & (denominator[column] < least)
        if below > 0:
            _catch_up_exactly(past, at, value, first, denominator, scale, root, scratch)
            return
    for column in range(len(value)):
        x = np.sqrt(denominator[column]) * x_scale
        value[column] = value[column] * p - first[column] * (w1 / (x + u1) + w2 / (x + u2))


@kernel
def _catch_up_exactly(
    past: Past, at: int, value: Rows, first: Rows, denominator: Rows, scale: float, root: float, scratch: Rows
) -> None:
    """The same with f summed term by term, until the remaining terms are below the tolerance."""
    real = value.dtype.type
    x_scale = real(root)
    for column in range(len(value)):
        scratch[0, column] = np.sqrt(denominator[column]) * x_scale
        scratch[1, column] = 0
    product1, product2 = 1.0, 1.0
    for j in range(at + 1, past.now - past.first + 1):
        step = past.lines[j]
        product1 *= step[BETA1]
        if not past.amsgrad:
            product2 *= step[BETA2]
        c = real(scale * past.table[j, P] * step[RATE] * product1)
        r, eps = real(np.sqrt(product2) / step[ROOT_BC2]), real(step[EPS])
        for column in range(len(value)):
            scratch[1, column] += c / (r * scratch[0, column] + eps)
        if (j - at) % TERMS_PER_CHECK == 0 and _rest_is_small(
            past.table, at, j, product1, product2, past.tolerance, scratch
        ):
            break
    p = real(past.table[at, P])
    for column in range(len(value)):
        value[column] = value[column] * p - first[column] * scratch[1, column]


@kernel
def _rest_is_small(
    table: Doubles, at: int, j: int, product1: float, product2: float, tolerance: float, scratch: Rows
) -> bool:
    """Whether the terms after step j are below the tolerance, relative to the sum so far, for each x of `scratch`.

    The terms are positive and less than those with a denominator of eps or, where their sum M0 is known, of r·x.
    """
    if table[at, EXACT] == CHANGES_SIGN:
        return False
    by_eps = product1 * table[j, WORST]
    by_root = product1 * table[j, M0] / np.sqrt(product2) if table[at, EXACT] == 0 else np.inf
    for column in range(scratch.shape[1]):
        x, total = scratch[0, column], scratch[1, column]
        if by_eps > tolerance * total and by_root > tolerance * total * x:
            return False
    return True


@kernel
def step_rows(
    segments: Segments, gradients: Rows, begin: int, end: int, past: Past, state: State, sign: int, gradient: Rows
) -> None:
    """The step `now` of AdamW for rows `begin` to `end`, which are at the step before.

    The gradient of one row (d,) is written to `gradient`, see `sum_gradients`.
    """
    now, lines = past.now - past.first, past.lines
    for place in range(begin, end):
        row, following = segments.rows[place], min(place + 1, end - 1)
        prefetch_gradient(gradients, segments, following)
        prefetch(state.values, segments.rows[following])
        prefetch(state.firsts, segments.rows[following])
        prefetch(state.seconds, segments.rows[following])
        sum_gradients(gradients, segments, place, gradient)
        since = state.moment_steps[row]
        b1, b2 = 0.0, 0.0
        if since >= 0:
            b1 = np.exp(lines[now, LOG_B1] - lines[since - past.first, LOG_B1])
            b2 = np.exp(lines[now, LOG_B2] - lines[since - past.first, LOG_B2])
        _step_row(lines[now], b1, b2, state, row, gradient, sign, past.amsgrad)
        state.value_steps[row] = state.moment_steps[row] = past.now


@kernel
def _step_row(
    step: Doubles, b1: float, b2: float, state: State, row: int, gradient: Rows, sign: int, amsgrad: bool
) -> None:
    """One step of one row: its moments are multiplied by `b1` and `b2`, which include those of this step."""
    value, first, second, maximum = state.values[row], state.firsts[row], state.seconds[row], state.denominators[row]
    real = value.dtype.type
    decay, rate, eps, inverse = real(step[DECAY]), real(step[RATE]), real(step[EPS]), real(1 / step[ROOT_BC2])
    keep1, keep2 = real(b1), real(b2)
    new1, new2 = real(sign * (1 - step[BETA1])), real(1 - step[BETA2])
    if amsgrad:
        for column in range(len(value)):
            g = gradient[column]
            first[column] = m = keep1 * first[column] + new1 * g
            second[column] = v = keep2 * second[column] + new2 * g * g
            maximum[column] = largest = max(maximum[column], v)
            value[column] = value[column] * decay - rate * m / (np.sqrt(largest) * inverse + eps)
        return
    for column in range(len(value)):
        g = gradient[column]
        first[column] = m = keep1 * first[column] + new1 * g
        second[column] = v = keep2 * second[column] + new2 * g * g
        value[column] = value[column] * decay - rate * m / (np.sqrt(v) * inverse + eps)
