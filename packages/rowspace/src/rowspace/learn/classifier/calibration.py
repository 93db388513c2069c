"""On held-out texts: scores → probabilities by a temperature or a logistic curve, and the weights of an average."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["apply_curve", "calibrated", "log_loss", "mixture_weights"]

Floats = NDArray[Any]
TINY = 1e-9
ITERATIONS = 200


def apply_curve(scores: Floats, curve: tuple[float, float], *, is_single: bool) -> NDArray[np.float64]:
    """Return probabilities, (n, labels).

    Args:
        scores: (n, labels).
        curve: Scale and offset. Of one label a text, the softmax of scale * score; of several, the logistic function
            of scale * score + offset.
        is_single: Whether each text has one label.
    """
    values = curve[0] * np.asarray(scores, np.float64)
    if not is_single:
        return np.asarray(1 / (1 + np.exp(-np.clip(values + curve[1], -60, 60))))
    values = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(values / values.sum(axis=1, keepdims=True))


def calibrated(scores: Floats, truth: NDArray[np.bool_], texts: Floats, *, is_single: bool) -> tuple[float, float]:
    """Return the scale and offset with the least log loss, by the weights of texts (Platt 1999; Guo et al. 2017)."""
    from scipy.optimize import minimize

    def loss(point: NDArray[np.float64]) -> float:
        curve = float(np.exp(point[0])), float(point[1])
        return log_loss(apply_curve(scores, curve, is_single=is_single), truth, texts)

    if is_single:
        from scipy.optimize import minimize_scalar

        found = minimize_scalar(lambda x: loss(np.array([x, 0.0])), bounds=(-4, 5), method="bounded")
        return float(np.exp(found.x)), 0.0
    found = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead", options={"maxiter": ITERATIONS})
    return float(np.exp(found.x[0])), float(found.x[1])


def log_loss(probabilities: Floats, truth: NDArray[np.bool_], texts: Floats) -> float:
    """Return the log loss by the weights of texts: of the right label, or of each one where there may be several."""
    right = np.where(truth, probabilities, 1.0 - probabilities)
    is_single = (truth.sum(1) == 1).all() and np.allclose(probabilities.sum(1), 1)
    if is_single:
        right = probabilities[truth][:, np.newaxis]
    return float(-np.average(np.log(np.maximum(right, TINY)).mean(axis=1), weights=texts))


def mixture_weights(
    members: Sequence[Floats], truth: NDArray[np.bool_], texts: Floats, *, is_single: bool
) -> NDArray[np.float64]:
    """Return the weights of averaged probabilities with the least log loss, by expectation maximization.

    Args:
        members: The probabilities of each model, (n, labels).
        truth: (n, labels), which labels are right.
        texts: (n,), what each text weighs.
        is_single: Whether each text has one label.

    >>> good, bad = np.array([[0.9, 0.1], [0.1, 0.9]]), np.array([[0.4, 0.6], [0.6, 0.4]])
    >>> mixture_weights([good, bad], np.eye(2, dtype=bool), np.ones(2), is_single=True).round(2).tolist()
    [1.0, 0.0]
    """
    right = [each[truth] if is_single else np.where(truth, each, 1 - each).ravel() for each in members]
    likelihoods = np.maximum(np.stack(right), TINY)  # (models, n)
    counts = texts if is_single else np.repeat(texts, truth.shape[1])
    weights = np.full(len(members), 1 / len(members))
    for _ in range(ITERATIONS):
        shares = weights[:, np.newaxis] * likelihoods
        weights = np.average(shares / shares.sum(axis=0), axis=1, weights=counts)
    return weights
