"""Rows shared by hashing, with several hashes per id: `HashedEmbedding`.

Approximates a table (V, d): an id's row is the sum of k rows of a table of m. Two ids share all of them, and so a
row, with a probability near m^-k per pair; with weights of their own they differ even then.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.counted_module import CountedModule
from rowspace.layers.tables.gather import check_ids
from rowspace.layers.tables.init import init_rows_
from rowspace.layers.tables.lookup import lookup
from rowspace.layers.tables.recorded_settings import RecordedSettings

PRIME = 2**31 - 1


class HashedEmbedding(RecordedSettings, CountedModule):
    """ids (...) → (..., d): the sum of k rows of a table (m, d), where hash j of the id says which.

    Holds m·d numbers in place of V·d, and V·k more if `weighted`: then each id learns how much of each row it takes.
    Hash j is ((a·id + b) mod p) mod m with p = 2³¹ - 1 (Carter and Wegman 1979), a and b drawn from `seed` alone: the
    same on each machine and in each version. Rows begin so that their sum has a standard deviation of 0.02.

    The state records a and b of each hash, and `load_state_dict` refuses a state with others.

    Raises `UsageError` for an id out of range, or more ids than p. Source: Svenstrup et al. 2017, "Hash
    Embeddings for Efficient Word Representations", section 2.

    >>> embedding = HashedEmbedding(1_000_000, 16, num_rows=5000, num_hashes=2)
    >>> embedding(torch.tensor([[0, 999_999]])).shape
    torch.Size([1, 2, 16])
    >>> embedding.num_parameters, 1_000_000 * 16
    (80000, 16000000)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        num_rows: int,
        num_hashes: int = 2,
        weighted: bool = False,
        seed: int = 0,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        require_positive(num_rows=num_rows, num_hashes=num_hashes)
        if num_embeddings > PRIME:
            raise UsageError(
                f"num_embeddings must be at most {PRIME}, the prime of the hash, not {num_embeddings}; use "
                "QuotientRemainderEmbedding"
            )
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.num_rows = num_rows
        self.seed = seed
        self.hashes = _hashes(num_hashes, seed)
        self.weight = nn.Parameter(torch.empty(num_rows, embedding_dim, device=device, dtype=dtype))
        self.importance: nn.Parameter | None = None
        if weighted:
            self.importance = nn.Parameter(torch.empty(num_embeddings, num_hashes, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again: k rows of this deviation add up to 0.02, and all weights are 1."""
        init_rows_(self.weight, lambda weight: weight.normal_(std=0.02 * len(self.hashes) ** -0.5))
        if self.importance is not None:
            nn.init.ones_(self.importance)

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → (..., d)."""
        check_ids(ids, self.num_embeddings)
        # In a graph, where ids cannot be looked at, one out of range asks for row -1, which the gather refuses.
        known = ((ids >= 0) & (ids < self.num_embeddings)).unsqueeze(-1)
        rows = lookup(torch.where(known, self.rows_of(ids), -1), self.weight)  # (..., k, d)
        if self.importance is not None:
            rows = rows * lookup(ids, self.importance).unsqueeze(-1)
        return rows.sum(-2)

    def recorded_settings(self) -> list[int]:
        """The constants of all hashes."""
        return [constant for pair in self.hashes for constant in pair]

    def explain_settings(self, found: list[int] | None, state: Mapping[str, Any]) -> str | None:
        """Refuse other hashes; a state that records none has those of seed 0, or of an older version."""
        if found == self.recorded_settings() or (found is None and self.seed == 0):
            return None
        if found is None:
            return f"the state does not record its hashes, which for seed {self.seed} were others; train it again"
        return (
            f"the state was saved with other hashes than {len(self.hashes)} of seed {self.seed}; build the module with "
            "the num_hashes and the seed of the saved one"
        )

    def extra_repr(self) -> str:
        """The sizes, and how ids are hashed."""
        rows, dim = self.weight.shape
        return f"{self.num_embeddings}, {dim}, num_rows={rows}, num_hashes={len(self.hashes)}, seed={self.seed}"

    def rows_of(self, ids: Tensor) -> Tensor:
        """Ids (...) → the k rows of each (..., k) int64."""
        ids = ids.long()  # a·id stays below 2⁶²
        return torch.stack([(a * ids + b) % PRIME % self.num_rows for a, b in self.hashes], dim=-1)


def _hashes(count: int, seed: int) -> list[tuple[int, int]]:
    """The constants (a, b) of each hash: 0 < a < p, 0 <= b < p.

    Seed 0 takes the outputs of the generator from the first on. Another seed begins at a random place among its 2⁶⁴
    outputs, which the seed decides, so that two seeds practically never share a hash.
    """
    first = _mixed(_mixed(seed)) if seed else 0
    drawn = [_mixed(first + index) for index in range(2 * count)]
    return [(a % (PRIME - 1) + 1, b % PRIME) for a, b in zip(drawn[::2], drawn[1::2], strict=True)]


def _mixed(counter: int) -> int:
    """Output `counter` of SplitMix64 (Steele et al. 2014), which needs no state: a 64-bit number."""
    mask = 2**64 - 1
    z = (counter + 1) * 0x9E3779B97F4A7C15 & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return z ^ z >> 31
