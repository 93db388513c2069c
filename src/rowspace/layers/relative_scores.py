"""Shows what a position scheme does to attention scores: whether they depend on the offset alone, and how.

For study and tests, not for training: it computes every score of a text of equal tokens. The schemes are in
`rotary.py`, `alibi.py`, `relative_bias.py`, `sinusoid.py` and `learned_position.py`.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.alibi import Alibi
from rowspace.layers.arguments import require_positive
from rowspace.layers.learned_position import LearnedPosition
from rowspace.layers.relative_bias import RelativeBias
from rowspace.layers.rotary import RotaryPosition
from rowspace.layers.sinusoid import SinusoidPosition

__all__ = ["PositionScheme", "RelativeScores", "relative_scores"]

PositionScheme = RotaryPosition | Alibi | RelativeBias | SinusoidPosition | LearnedPosition


@dataclass(frozen=True)
class RelativeScores:
    """Scores by offset, and how far a single score is from the mean of its offset.

    offsets: `(2 · length - 1,)`, key position - query position; scores: `(heads, 2 · length - 1)` float64, means.
    """

    offsets: Tensor
    scores: Tensor
    largest_deviation: float


def relative_scores(scheme: PositionScheme, q: Tensor, k: Tensor, *, length: int = 64) -> RelativeScores:
    """The scores of one query and one key put at every pair of places of a text, gathered by offset.

    q, k: `(heads, head_dim)`. A rotation turns both, a bias is added to `q·k`, rows for positions are added to both.
    With rotary, ALiBi and T5's bias the score depends on the offset alone: the largest deviation is rounding of the
    angles, or 0. With rows that are added it does not. Raises `UsageError` where the heads are not those of the
    scheme.

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
    places = torch.arange(length, device=q.device)
    index = (places - places.unsqueeze(-1) + length - 1).flatten()  # which offset a score belongs to
    counts = index.bincount(minlength=2 * length - 1)
    means = torch.zeros(len(scores), 2 * length - 1, dtype=scores.dtype, device=q.device)
    means = means.index_add(1, index, scores.flatten(1)) / counts
    deviation = (scores.flatten(1) - means[:, index]).abs().max()
    return RelativeScores(torch.arange(1 - length, length, device=q.device), means, float(deviation))


def _scores(scheme: PositionScheme, q: Tensor, k: Tensor, places: Tensor) -> Tensor:
    """`(heads, length, length)` float64, query by key."""
    if isinstance(scheme, Alibi | RelativeBias):
        bias: Tensor = scheme(places, places)
        if len(bias) != len(q):
            raise UsageError(f"q and k have {len(q)} heads, but the scheme has {len(bias)}; pass one row for each head")
        return (q * k).sum(-1).view(-1, 1, 1) + bias
    queries, keys = (row.unsqueeze(-2).expand(-1, len(places), -1) for row in (q, k))  # (heads, length, head_dim)
    if isinstance(scheme, RotaryPosition):
        queries, keys = scheme.rotate(queries, keys)
    else:
        rows: Tensor = scheme(places, positions=places)
        queries, keys = queries + rows, keys + rows
    return queries @ keys.mT
