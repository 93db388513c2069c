"""T5's relative bias, a learned number per head and bucket of offsets; scores by offset under any position scheme.

`relative_scores` is for analysis and tests, not for training: it computes every score of a text of equal tokens.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.positions.alibi import Alibi
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.positions.sinusoid import SinusoidPosition
from rowspace.layers.rotary.position import RotaryPosition
from rowspace.layers.tables.init import Init, init_rows_
from rowspace.layers.tables.lookup import lookup

__all__ = [
    "PositionScheme",
    "RelativeBias",
    "RelativeScores",
    "distant_scores",
    "relative_buckets",
    "relative_scores",
]


class RelativeBias(nn.Module):
    """Integer positions of queries `(..., q)` and keys `(..., k)` → bias `(..., heads, q, k)`.

    `weight`, `(num_buckets, num_heads)`, is T5's `relative_attention_bias`, which is in the first block and shared by
    all. Only the given queries are computed, such as one in a decoding step. The gradient of a bucket is summed in
    float32 for every dtype, as in `lookup`.

    Source: Raffel et al. 2020, section 2.1.

    Args:
        num_heads: Number of heads.
        num_buckets: See `relative_buckets`.
        max_distance: See `relative_buckets`.
        bidirectional: True for encoders, False for decoders, which attend only to earlier keys.
        init: Initialization of the weight, see `init_rows_`.
        device: Device of the weight.
        dtype: Dtype of the weight.

    Raises:
        UsageError: For invalid numbers of heads or buckets, or a `max_distance` that is too small.

    >>> bias = RelativeBias(4)
    >>> bias(torch.arange(5, 6), torch.arange(6)).shape
    torch.Size([4, 1, 6])
    """

    def __init__(
        self,
        num_heads: int,
        *,
        num_buckets: int = 32,
        max_distance: int = 128,
        bidirectional: bool = True,
        init: Init = "normal",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(num_heads=num_heads)
        _check_buckets(num_buckets, max_distance, bidirectional)
        self.num_buckets = num_buckets
        self.max_distance = max_distance
        self.bidirectional = bidirectional
        self.init = init
        self.weight = nn.Parameter(torch.empty(num_buckets, num_heads, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Initialize the weight by `init`.

        Args:
            generator: Random generator; by default PyTorch's.
        """
        init_rows_(self.weight, self.init, generator=generator)

    def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Queries `(..., q)` and keys `(..., k)` → `(..., heads, q, k)` in the dtype of the weight."""
        offsets = keys.unsqueeze(-2) - queries.unsqueeze(-1)  # (..., q, k)
        buckets = relative_buckets(
            offsets,
            num_buckets=self.num_buckets,
            max_distance=self.max_distance,
            bidirectional=self.bidirectional,
        )
        return lookup(buckets, self.weight).movedim(-1, -3)  # (..., heads, q, k)

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        heads = self.weight.shape[1]
        return f"{heads}, buckets={self.num_buckets}, distance={self.max_distance}, bidirectional={self.bidirectional}"


def relative_buckets(
    offsets: Tensor, *, num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True
) -> Tensor:
    """Return the bucket of each offset.

    Half of the buckets of a direction have one distance each; the others grow geometrically up to `max_distance`, and
    the last one includes all larger distances.

    Args:
        offsets: (...) integers, position of the key - position of the query.
        num_buckets: Number of buckets.
        max_distance: Distance from which on all offsets share the last bucket.
        bidirectional: If True, half of the buckets are for earlier keys and half for later ones; if False, all are for
            earlier keys, and later keys share bucket 0.

    Returns:
        (...) int64 from 0 to `num_buckets` - 1.

    Raises:
        UsageError: For an invalid number of buckets, or a `max_distance` that is too small.

    >>> relative_buckets(torch.tensor([0, -1, -7, -8, -20, -127, -1000, 1, 9]))
    tensor([ 0,  1,  7,  8, 10, 15, 15, 17, 24])
    """
    _check_buckets(num_buckets, max_distance, bidirectional)
    if bidirectional:
        side = num_buckets // 2
        first, distance = (offsets > 0).long() * side, offsets.abs()
    else:
        side = num_buckets
        first, distance = torch.zeros_like(offsets), -offsets.clamp(max=0)
    exact = side // 2
    # In float32 and in T5's order of operations: rounding decides where the boundary is an integer.
    octaves = torch.log(distance.clamp(min=1).float() / exact) / math.log(max_distance / exact)
    far = (exact + (octaves * (side - exact)).long()).clamp(max=side - 1)
    return first + torch.where(distance < exact, distance, far)


def _check_buckets(num_buckets: int, max_distance: int, bidirectional: bool) -> None:
    minimum = 4 if bidirectional else 2
    if num_buckets < minimum or (bidirectional and num_buckets % 2):
        even = "an even number" if bidirectional else "a number"
        raise UsageError(f"num_buckets must be {even} of at least {minimum}, not {num_buckets}; T5 has 32")
    exact = num_buckets // (4 if bidirectional else 2)
    if not exact < max_distance < math.inf:
        raise UsageError(
            f"max_distance must be above {exact}, the distances with their own bucket, not {max_distance}; increase it"
        )


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
