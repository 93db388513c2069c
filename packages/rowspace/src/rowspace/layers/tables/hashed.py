"""Rows shared by hashing, with several hashes per id: `HashedEmbedding`.

Approximates a table (V, d): the row of an id is the sum of k rows of a table of m rows. Two ids share all k rows, and
thus have the same row, with a probability near m^-k; with learned weights per id they differ even then.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.base_modules import CountedModule, RecordedSettings
from rowspace.layers.tables.gather import check_ids
from rowspace.layers.tables.token_embedding import TokenEmbedding

PRIME = 2**31 - 1
GAMMA = 0x9E3779B97F4A7C15  # the step of SplitMix64


class HashedEmbedding(RecordedSettings, CountedModule):
    """ids (...) → (..., d): the sum of k rows of a table (m, d), selected by k hashes of the id.

    It has m·d parameters instead of V·d, and V·k more if `weighted`. Hash j is ((a·id + b) mod p) mod m with
    p = 2³¹ - 1 (Carter and Wegman 1979); a and b depend only on `seed`, on every machine and in every version. Rows are
    initialized so that their sum has a standard deviation of 0.02. `state_dict` records a and b of each hash, and
    `load_state_dict` refuses a state with others. Rows are in the `TokenEmbedding` `table`, weights per id in
    `importances`.

    Source: Svenstrup et al. 2017, "Hash Embeddings for Efficient Word Representations", section 2.

    Args:
        num_embeddings: V, at most p.
        embedding_dim: d.
        num_rows: m, the number of rows of the table.
        num_hashes: k.
        weighted: Whether each id learns a weight for each of its k rows.
        seed: Seed of the hashes.
        sparse: Whether the gradients of table and weights are sparse, as in `TokenEmbedding`.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Raises:
        UsageError: For a size below 1 or V above p; in forward for an id out of range.

    >>> embedding = HashedEmbedding(1_000_000, 16, num_rows=5000, num_hashes=2)
    >>> embedding(torch.tensor([[0, 999_999]])).shape
    torch.Size([1, 2, 16])
    >>> embedding.num_parameters, 1_000_000 * 16
    (80000, 16000000)
    """

    def __init__(  # noqa: PLR0913  sizes, options of the table, and those of every module
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        num_rows: int,
        num_hashes: int = 2,
        weighted: bool = False,
        seed: int = 0,
        sparse: bool = False,
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
        options: dict[str, Any] = {"sparse": sparse, "device": device, "dtype": dtype}
        deviation = 0.02 * num_hashes**-0.5
        self.table = TokenEmbedding(num_rows, embedding_dim, init=partial(nn.init.normal_, std=deviation), **options)
        self.importances: TokenEmbedding | None = None
        if weighted:
            self.importances = TokenEmbedding(num_embeddings, num_hashes, init=nn.init.ones_, **options)

    @property
    def weight(self) -> Tensor:
        """The table (m, d)."""
        return self.table.weight

    @property
    def importance(self) -> Tensor | None:
        """The weights (V, k) of the rows of each id, if there are any."""
        return None if self.importances is None else self.importances.weight

    def reset_parameters(self) -> None:
        """Initialize again: sums of k rows have a standard deviation of 0.02, and all weights are 1."""
        self.table.reset_parameters()
        if self.importances is not None:
            self.importances.reset_parameters()

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → (..., d)."""
        check_ids(ids, self.num_embeddings)
        # In a graph, where ids cannot be read, an id out of range selects row -1, for which the gather raises.
        known = ((ids >= 0) & (ids < self.num_embeddings)).unsqueeze(-1)
        rows: Tensor = self.table(torch.where(known, self.rows_of(ids), -1))  # (..., k, d)
        if self.importances is not None:
            rows = rows * self.importances(ids).unsqueeze(-1)
        return rows.sum(-2)

    def recorded_settings(self) -> list[int]:
        """The constants a and b of all hashes."""
        return [constant for pair in self.hashes for constant in pair]

    def explain_settings(self, found: list[int] | None, state: Mapping[str, Any]) -> str | None:
        """Explain a difference in hashes."""
        if found == self.recorded_settings():
            return None
        return (
            f"the state was saved with other hashes than the {len(self.hashes)} of seed {self.seed}, or without them; "
            "build the module with the num_hashes and the seed of the saved one"
        )

    def extra_repr(self) -> str:
        """The sizes and the settings of the hashes."""
        rows, dim = self.weight.shape
        return f"{self.num_embeddings}, {dim}, num_rows={rows}, num_hashes={len(self.hashes)}, seed={self.seed}"

    def rows_of(self, ids: Tensor) -> Tensor:
        """Ids (...) → indices of their k rows (..., k) int64."""
        ids = ids.long()  # a·id stays below 2⁶²
        return torch.stack([(a * ids + b) % PRIME % self.num_rows for a, b in self.hashes], dim=-1)


def _hashes(count: int, seed: int) -> list[tuple[int, int]]:
    """The constants (a, b) of each hash: 0 < a < p, 0 <= b < p.

    Seed 0 uses the outputs of the generator from the first on. Another seed starts at a pseudorandom position among its
    2⁶⁴ outputs, computed from the seed, so two seeds practically never share a hash.
    """
    first = _mixed(_mixed(seed)) if seed else 0
    drawn = [_mixed(first + index) for index in range(2 * count)]
    return [(a % (PRIME - 1) + 1, b % PRIME) for a, b in zip(drawn[::2], drawn[1::2], strict=True)]


def _mixed(counter: int) -> int:
    """Output number `counter` of SplitMix64 (Steele et al. 2014): a 64-bit number, computed without state."""
    return mixed_bits((counter + 1) * GAMMA)


def mixed_bits(state: int) -> int:
    """The output of SplitMix64 for a state, of which only the last 64 bits count."""
    mask = 2**64 - 1
    z = state & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return z ^ z >> 31
