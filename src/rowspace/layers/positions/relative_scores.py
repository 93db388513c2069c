"""What a position scheme does to attention scores: whether they depend on the offset alone, and how.

For study and tests, not for training: it computes every score of a text of equal tokens.
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


@dataclass(frozen=True)
class RelativeScores:
    """Scores by offset, and how far a single score is from the mean of its offset.

    offsets: `(2 · length - 1,)`, key position - query position; scores: `(heads, 2 · length - 1)` float64, means;
    pairs: `(heads, length, length)` float64, the single scores, query by key.
    """

    offsets: Tensor
    scores: Tensor
    pairs: Tensor
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
    return RelativeScores(torch.arange(1 - length, length, device=q.device), means, scores, float(deviation))


def distant_scores(rotary: RotaryPosition, q: Tensor, k: Tensor, distances: Tensor, *, length: int) -> Tensor:
    """The scores of a query at the end of a text of `length` tokens with a key put so far before it: float64.

    q, k: `(head_dim,)`; distances: `(n,)` integers from 0 to length - 1; returns `(n,)`. Unlike `relative_scores` it
    looks at few places of a text that may be long, as scaled frequencies ask for. Angles are float32, as in models.

    >>> distant_scores(RotaryPosition(4, base=100.0), torch.ones(4), torch.ones(4), torch.arange(3), length=100)
    tensor([4.0000, 3.0706, 1.1278], dtype=torch.float64)
    """
    require_positive(length=length)
    places = torch.cat((distances.new_tensor([length - 1]), length - 1 - distances))  # the query's, then the key's
    if not 0 <= int(places.min()) <= int(places.max()) < length:
        raise UsageError(
            f"distances must be from 0 to {length - 1} in a text of {plural(length, 'token')}; shorten them"
        )
    rows = torch.cat((q.unsqueeze(0), k.expand(len(distances), -1))).double()
    turned, _ = rotary.rotate(rows.unsqueeze(0), rows.unsqueeze(0), places)
    return turned[0, 1:] @ turned[0, 0]


def _scores(scheme: PositionScheme, q: Tensor, k: Tensor, places: Tensor) -> Tensor:
    """`(heads, length, length)` float64, query by key."""
    if isinstance(scheme, Alibi | RelativeBias):
        bias: Tensor = scheme(places, places)
        if len(bias) != len(q):
            raise UsageError(
                f"q and k have {plural(len(q), 'head')}, but the scheme has {len(bias)}; pass one row for each head"
            )
        return (q * k).sum(-1).view(-1, 1, 1) + bias
    queries, keys = (row.unsqueeze(-2).expand(-1, len(places), -1) for row in (q, k))  # (heads, length, head_dim)
    if isinstance(scheme, RotaryPosition):
        queries, keys = scheme.rotate(queries, keys)
    else:
        rows: Tensor = scheme(places, positions=places)
        queries, keys = queries + rows, keys + rows
    return queries @ keys.mT
