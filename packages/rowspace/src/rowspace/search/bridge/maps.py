"""Pairs of vectors → maps from the first to the second, as in Drift-Adapter (arXiv 2509.23471)."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import MissingExtraError

__all__ = ["LAYERS", "VectorMap", "learn_maps"]

Matrix = NDArray[np.float64]

LAYERS = ("weight", "bias", "hidden_weight", "hidden_bias", "output_weight")
"""The names of the tensors of a map; the last three are those of an MLP only."""

_PENALTIES = (1e-5, 1e-3, 1e-2, 1e-1)  # of ridge regression, relative to the mean variance of a column
_RANK = 64  # of the low-rank map, as in the paper
_HIDDEN = 256  # units of the MLP, as in the paper


@dataclass(frozen=True)
class VectorMap:
    """x W + b, and for an MLP also max(0, x H + c) O.

    Attributes:
        weight: W, (d, e) float32.
        bias: b, (e,) float32.
        hidden_weight, hidden_bias, output_weight: H, c and O, (d, h), (h,) and (h, e) float32; None of a linear map.
    """

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]
    hidden_weight: NDArray[np.float32] | None = None
    hidden_bias: NDArray[np.float32] | None = None
    output_weight: NDArray[np.float32] | None = None

    @classmethod
    def of(cls, tensors: dict[str, Any]) -> "VectorMap":
        """Return the map with these tensors.

        Raises:
            ValueError: A tensor is missing, unknown, not float32, not finite, or of a shape that does not fit.

        >>> VectorMap.of({"weight": np.eye(2, dtype=np.float32), "bias": np.zeros(2, np.float32)}).dims
        (2, 2)
        """
        if tuple(sorted(tensors)) not in (tuple(sorted(LAYERS)), tuple(sorted(LAYERS[:2]))):
            raise ValueError("expected the tensors of a map")
        for tensor in tensors.values():
            if tensor is None or tensor.dtype != np.float32 or not np.isfinite(tensor).all():
                raise ValueError("expected finite float32 numbers")
        dims = tensors["weight"].shape
        hidden = (None,) if len(tensors) == len(LAYERS[:2]) else tensors["hidden_bias"].shape
        shapes = {"weight": dims, "bias": dims[1:], "hidden_weight": dims[:1] + hidden}
        shapes |= {"hidden_bias": hidden, "output_weight": hidden + dims[1:]}
        if len(dims) != 2 or any(tensor.shape != shapes[name] for name, tensor in tensors.items()):
            raise ValueError("expected shapes that fit")
        return cls(**tensors)

    @property
    def dims(self) -> tuple[int, int]:
        """The numbers of columns of vectors before and after the map."""
        rows, columns = self.weight.shape
        return rows, columns

    def apply(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the mapped vectors: (n, d) → (n, e) float32."""
        mapped: NDArray[np.float32] = vectors @ self.weight + self.bias
        if self.hidden_weight is not None and self.hidden_bias is not None:
            mapped += np.maximum(vectors @ self.hidden_weight + self.hidden_bias, 0) @ self.output_weight
        return mapped

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """Return the arrays of the map by name."""
        found = {name: getattr(self, name) for name in LAYERS}
        return {name: np.ascontiguousarray(tensor) for name, tensor in found.items() if tensor is not None}


def learn_maps(
    new: NDArray[np.float32], old: NDArray[np.float32], kind: str, *, seed: int = 0
) -> Iterator[tuple[str, VectorMap]]:
    """Yield maps from `new` to `old`, of one kind or, for "auto", of each kind; an MLP needs scikit-learn.

    Args:
        new: (n, d) vectors.
        old: (n, e) vectors of the same passages.
        kind: As in `BridgeOptions`.
        seed: Seed of the MLP.

    Yields:
        The kind and a map; several of one kind differ in the penalty of their regression.
    """
    first, second = new.astype(np.float64), old.astype(np.float64)
    if kind in ("auto", "orthogonal"):
        yield "orthogonal", _orthogonal(first, second)
    solve = _Regression(first, second)
    for penalty in _PENALTIES if kind != "orthogonal" else ():
        if kind in ("auto", "linear"):
            yield "linear", solve(penalty)
        if kind == "low-rank" or (kind == "auto" and min(*first.shape, *second.shape) > _RANK):
            yield "low-rank", solve(penalty, rank=_RANK)
    if kind == "mlp" or (kind == "auto" and find_spec("sklearn")):
        yield "mlp", _mlp(first, second, solve(_PENALTIES[1]), seed)


def _orthogonal(new: Matrix, old: Matrix) -> VectorMap:
    """Return the orthogonal map nearest to the least squares (Schönemann 1966), with each column then scaled."""
    left, _, right = np.linalg.svd(new.T @ old, full_matrices=False)
    rotation = left @ right
    turned = new @ rotation
    squares = np.einsum("ij,ij->j", turned, turned)
    scales = np.einsum("ij,ij->j", turned, old) / np.where(squares > 0, squares, 1)
    return VectorMap((rotation * scales).astype(np.float32), np.zeros(old.shape[1], np.float32))


class _Regression:
    """Ridge regression with an intercept, whose products are computed once for all penalties."""

    def __init__(self, new: Matrix, old: Matrix) -> None:
        self._new_mean, self._old_mean = new.mean(axis=0), old.mean(axis=0)
        centered = new - self._new_mean
        values, self._vectors = np.linalg.eigh(centered.T @ centered)
        self._values = np.maximum(values, 0)
        self._products = self._vectors.T @ (centered.T @ (old - self._old_mean))

    def __call__(self, penalty: float, *, rank: int | None = None) -> VectorMap:
        added = penalty * max(self._values.mean(), np.finfo(np.float64).tiny)
        inner = self._products / (self._values + added)[:, np.newaxis]
        if rank is not None:  # reduced-rank regression: keep the directions in which predictions vary most
            _, _, right = np.linalg.svd(np.sqrt(self._values + added)[:, np.newaxis] * inner, full_matrices=False)
            inner = inner @ right[:rank].T @ right[:rank]
        weight = self._vectors @ inner
        bias = self._old_mean - self._new_mean @ weight
        return VectorMap(weight.astype(np.float32), bias.astype(np.float32))


def _mlp(new: Matrix, old: Matrix, linear: VectorMap, seed: int) -> VectorMap:
    """Return the linear map plus a network of one hidden layer, which learns what the linear map leaves."""
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPRegressor
    except ImportError as error:
        raise MissingExtraError("kind 'mlp' needs scikit-learn: pip install 'rowspace[analysis]'") from error
    scale = float(np.sqrt(new.shape[1]))  # numbers of about 1, which the first rate of Adam is for
    network: Any = MLPRegressor(
        hidden_layer_sizes=(_HIDDEN,),
        alpha=1e-3,
        early_stopping=len(new) >= 1_000,
        n_iter_no_change=3,
        max_iter=60,
        random_state=seed,
    )
    rest = scale * (old - linear.apply(new.astype(np.float32)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # its recall is measured, converged or not
        network.fit((scale * new).astype(np.float32), rest.astype(np.float32))
    (hidden, output), (hidden_bias, output_bias) = network.coefs_, network.intercepts_
    parts = linear.weight, linear.bias + output_bias / scale, hidden * scale, hidden_bias, output / scale
    return VectorMap(*(np.asarray(part, np.float32) for part in parts))
