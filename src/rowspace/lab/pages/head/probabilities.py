"""From a hidden state to the probability of every row: what the Head page shows, in PyTorch."""

import math
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rowspace.layers import TiedHead, UntiedHead  # isort: skip  # first: without PyTorch its error names the extra
import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.table import Table

__all__ = ["Head", "Probabilities", "row_probabilities", "tied", "untied"]

Head = TiedHead | UntiedHead
CURVE_POINTS = 60
SHORT = 8
"""Vectors of so many numbers are shown whole."""


def tied(table: Table) -> TiedHead:
    """A head that is the table itself: a copy of it in float32, as PyTorch has no read-only tensors."""
    rows = torch.tensor(table.rows, dtype=torch.float32)
    return TiedHead(nn.Embedding.from_pretrained(rows))  # type: ignore[no-untyped-call]


def untied(table: Table) -> UntiedHead:
    """A head of its own, as training would begin with it; drawn without a touch on PyTorch's own generator."""
    with torch.device("meta"):
        head = UntiedHead(table.dim, len(table))
    head.to_empty(device="cpu").reset_parameters(torch.Generator().manual_seed(0))
    return head


@dataclass(frozen=True)
class Probabilities:
    """The probabilities of all rows, and of the likeliest: the arrays and the `summary` of a reply of `logits`."""

    arrays: dict[str, NDArray[np.generic]]
    summary: dict[str, float]


def row_probabilities(
    head: Head, hidden: NDArray[np.float32], *, softcap: float | None, temperature: float, k: int
) -> Probabilities:
    """Softmax over the logits of `hidden` (d,) that are finite; raises `UsageError` where none is."""
    head = copy(head)  # which shares the weight: other threads have other settings
    with torch.no_grad():
        products = head(torch.from_numpy(hidden))
        head.softcap, head.temperature = softcap, temperature
        logits = head(torch.from_numpy(hidden)).double()
    lost = ~logits.isfinite()
    if lost.all():
        raise UsageError("no row has a finite logit: make the values smaller")
    logits[lost] = -math.inf
    shares, order = logits.softmax(0), logits.argsort(descending=True, stable=True)
    first = order[: min(k, len(order) - int(lost.sum()))]
    held = shares[order].cumsum(0)
    ranks = torch.from_numpy(np.unique(np.geomspace(1, len(order), CURVE_POINTS).round().astype(np.int64)))
    tensors: dict[str, Tensor] = {
        "ids": first,
        "products": products[first],
        "logits": logits[first],
        "probabilities": shares[first],
        "ranks": ranks,
        "mass": held[ranks - 1],
    }
    if head.weight.shape[1] <= SHORT:
        tensors["vectors"] = head.weight.detach()[first]
    summary = {
        "entropy": float(torch.special.entr(shares).sum() / math.log(2)),
        "beyond": max(0.0, 1 - float(shares[first].sum())),
        "half": int((held < 0.5).sum()) + 1,
        "lost": int(lost.sum()),
    }
    return Probabilities({name: tensor.numpy() for name, tensor in tensors.items()}, summary)
