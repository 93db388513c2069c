"""Attention scores by offset under a position scheme, and whether they depend only on the offset.

For analysis and tests, not for training: it computes every score of a text of equal tokens.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.layers.arguments import require_positive
from rowspace.layers.positions.alibi import Alibi
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.positions.relative_bias import RelativeBias
from rowspace.layers.positions.sinusoid import SinusoidPosition
from rowspace.layers.rotary.position import RotaryPosition

__all__ = ["PositionScheme", "RelativeScores", "distant_scores", "relative_scores"]

PositionScheme = RotaryPosition | Alibi | RelativeBias | SinusoidPosition | LearnedPosition
"""A module whose scores `relative_scores` measures."""


@dataclass(frozen=True)
class RelativeScores:
    """Scores by offset.

    Attributes:
        offsets: `(2 · length - 1,)`, key position - query position.
        scores: `(heads, 2 · length - 1)` float64, the mean score of each offset.
        pairs: `(heads, length, length)` float64, the scores of all queries and keys.
        largest_deviation: Largest difference between a score and the mean of its offset.
    """

    offsets: Tensor
    scores: Tensor
    pairs: Tensor
    largest_deviation: float


def relative_scores(scheme: PositionScheme, q: Tensor, k: Tensor, *, length: int = 64) -> RelativeScores:
    """Compute the scores of one query and one key at every pair of positions of a text, grouped by offset.

    A rotation rotates both, a bias is added to `q·k`, position rows are added to both. With rotary positions, ALiBi and
    T5's bias the score depends only on the offset: the largest deviation is 0 or the rounding of the angles. With added
    position rows it does not.

    Args:
        scheme: A module of positions.
        q: `(heads, head_dim)`.
        k: `(heads, head_dim)`.
        length: Number of positions.

    Returns:
        The scores.

    Raises:
        UsageError: If the number of heads differs from that of the scheme, or `length` is below 1.

    >>> q, k = torch.eye(8)[:2], torch.ones(2, 8)
    >>> relative_scores(RotaryPosition(8), q, k).largest_deviation < 1e-5
    True
    >>> relative_scores(SinusoidPosition(8), q, k).largest_deviation > 1
    True
    >>> relative_scores(Alibi(2), q, k, length=2).scores[0]  # offsets -1, 0, 1
    tensor([0.9375, 1.0000, 1.0625], dtype=torch.float64)
    """
    require_positive(length=length)
    with torch.no_grad():
        scores = _scores(scheme, q.double(), k.double(), torch.arange(length, device=q.device))  # (heads, q, k)
    positions = torch.arange(length, device=q.device)
    index = (positions - positions.unsqueeze(-1) + length - 1).flatten()  # the offset of each score
    counts = index.bincount(minlength=2 * length - 1)
    means = torch.zeros(len(scores), 2 * length - 1, dtype=scores.dtype, device=q.device)
    means = means.index_add(1, index, scores.flatten(1)) / counts
    deviation = (scores.flatten(1) - means[:, index]).abs().max()
    return RelativeScores(torch.arange(1 - length, length, device=q.device), means, scores, float(deviation))


def distant_scores(rotary: RotaryPosition, q: Tensor, k: Tensor, distances: Tensor, *, length: int) -> Tensor:
    """Compute the scores of a query at the end of a text with keys at given distances before it.

    Unlike `relative_scores` it computes few scores, so the text may be long, as needed for scaled frequencies. Angles
    are float32, as in models.

    Args:
        rotary: The rotation.
        q: `(head_dim,)`.
        k: `(head_dim,)`.
        distances: `(n,)` integers from 0 to `length` - 1.
        length: Number of positions of the text.

    Returns:
        `(n,)` float64.

    Raises:
        UsageError: For a distance out of range, or a `length` below 1.

    >>> distant_scores(RotaryPosition(4, base=100.0), torch.ones(4), torch.ones(4), torch.arange(3), length=100)
    tensor([4.0000, 3.0706, 1.1278], dtype=torch.float64)
    """
    require_positive(length=length)
    positions = torch.cat((distances.new_tensor([length - 1]), length - 1 - distances))  # the query, then the keys
    if not 0 <= int(positions.min()) <= int(positions.max()) < length:
        raise UsageError(
            f"distances must be from 0 to {length - 1} in a text of {plural(length, 'token')}; reduce them"
        )
    rows = torch.cat((q.unsqueeze(0), k.expand(len(distances), -1))).double()
    rotated, _ = rotary.rotate(rows.unsqueeze(0), rows.unsqueeze(0), positions)
    return rotated[0, 1:] @ rotated[0, 0]


def _scores(scheme: PositionScheme, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
    """`(heads, length, length)` float64, query by key."""
    if isinstance(scheme, Alibi | RelativeBias):
        bias: Tensor = scheme(positions, positions)
        if len(bias) != len(q):
            raise UsageError(
                f"q and k have {plural(len(q), 'head')}, but the scheme has {len(bias)}; pass one row per head"
            )
        return (q * k).sum(-1).view(-1, 1, 1) + bias
    queries, keys = (row.unsqueeze(-2).expand(-1, len(positions), -1) for row in (q, k))  # (heads, length, head_dim)
    if isinstance(scheme, RotaryPosition):
        queries, keys = scheme.rotate(queries, keys)
    else:
        rows: Tensor = scheme(positions, positions=positions)
        queries, keys = queries + rows, keys + rows
    return queries @ keys.mT
