"""The loss of a batch of pairs, and recall: how often a query finds its positive."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["ranking_loss", "recall_at", "sizes_down_to"]

QUERIES_AT_ONCE = 1024


def ranking_loss(queries: Tensor, positives: Tensor, *, scale: float, sizes: Sequence[int]) -> Tensor:
    """Return the multiple negatives ranking loss, summed over sizes of vectors.

    The loss is the cross entropy of a softmax over the scaled cosines of a query with all positives of the batch, where
    its own is right. Source: Efficient Natural Language Response Suggestion for Smart Reply (Henderson et al., 2017);
    Matryoshka Representation Learning (Kusupati et al., 2022) for the sum.

    Args:
        queries: (n, d) vectors.
        positives: (n, d) vectors, in the same order.
        scale: Multiplies cosines.
        sizes: Only so many of the first columns are used, one term each.

    Returns:
        A number.

    >>> ranking_loss(torch.eye(2), torch.eye(2), scale=0.0, sizes=[2])
    tensor(0.6931)
    """
    targets = torch.arange(len(queries), device=queries.device)
    losses = [
        functional.cross_entropy(scale * _units(queries[:, :size]) @ _units(positives[:, :size]).T, targets)
        for size in sizes
    ]
    return torch.stack(losses).sum()


def recall_at(queries: Tensor, positives: Tensor, k: int = 10) -> float:
    """Return the share of queries whose own positive is among the k with the largest cosine; ties count against it.

    Args:
        queries: (n, d) vectors.
        positives: (n, d) vectors, in the same order.
        k: Number of answers that count.

    >>> recall_at(torch.eye(3), torch.eye(3).flip(0), k=1)
    0.3333333333333333
    """
    answers, found = _units(positives), 0
    for start in range(0, len(queries), QUERIES_AT_ONCE):
        units = _units(queries[start : start + QUERIES_AT_ONCE])
        scores = units @ answers.T
        own = scores.gather(1, torch.arange(start, start + len(units))[:, None])
        found += int(((scores >= own).sum(1) <= k).sum())
    return found / max(1, len(queries))


def sizes_down_to(dim: int, smallest: int) -> list[int]:
    """Return dim, and its halves that are not below `smallest`.

    >>> sizes_down_to(100, 20), sizes_down_to(8, 32)
    ([100, 50, 25], [8])
    """
    sizes = [dim]
    while sizes[-1] // 2 >= smallest:
        sizes.append(sizes[-1] // 2)
    return sizes


def _units(vectors: Tensor) -> Tensor:
    return functional.normalize(vectors, dim=1)
