"""Rows for the last few tokens together, found by hashing: `HashedNgramEmbedding`, and `ByteNgramEmbedding` for bytes.

    ids        … 17   5  92 | 17    the n-grams that end at a token, within a text
    2-grams             (5, 92)     h heads each: mixed = XOR of id · multiplier; row = mixed mod a prime
    3-grams         (17, 5, 92)     h heads each
    result     the rows of all heads, one after the other

The number of possible n-grams does not matter: the memory is that of the table.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, count, islice
from math import isqrt
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.base_modules import CountedModule, RecordedSettings
from rowspace.layers.tables.gather import check_ids
from rowspace.layers.tables.hashed import GAMMA, mixed_bits
from rowspace.layers.tables.token_embedding import TokenEmbedding

__all__ = ["ByteNgramEmbedding", "HashedNgramEmbedding"]

SEED_STEP = 10007  # between the seeds of two layers, as in transformers
PRIMES = (  # of the byte hashes, as in BLT
    1000000007, 5915587277, 1500450271, 3267000013, 5754853343, 4093082899,
    9576890767, 3628273133, 2860486313, 5463458053, 3367900313,
)  # fmt: skip


class HashedNgramEmbedding(RecordedSettings, CountedModule):
    """ids (batch, seq) → (batch, seq, d): rows of the n-grams that end at each token, for n = 2, …, `ngram_size`.

    Each n has `heads` hashes; each hash selects a row of d / (heads · (ngram_size - 1)) numbers from rows of its own,
    and all are joined. An n-gram does not reach into the text before: after `boundary_id`, and at the beginning, tokens
    that are missing count as `boundary_id`. The rows of a head are as many as the next prime from `num_rows` on, so
    that no two heads of a model share one.

    Sources: Cheng et al. 2026, "Conditional Memory via Scalable Lookup" (Engram, arXiv 2601.07372); bit for bit
    `Qwen4ExpTextNGramEmbedding` of transformers.

    Args:
        num_embeddings: V, the ids.
        embedding_dim: d, a multiple of heads · (ngram_size - 1).
        num_rows: The least rows of a head.
        boundary_id: The id that ends a text.
        ngram_size: The longest n-grams.
        heads: Hashes for each n.
        layer: The number of the layer among those that have such a table; each has other hashes.
        seed: Seed of the hashes.
        multiple: The rows of the table are a multiple of this.
        sparse: As in `TokenEmbedding`.
        device: Device of the weight.
        dtype: Dtype of the weight.

    Raises:
        UsageError: For sizes that do not fit; in forward for an id out of range or another shape.

    >>> ngrams = HashedNgramEmbedding(50_000, 32, num_rows=10_000, boundary_id=0)
    >>> ngrams(torch.tensor([[5, 6, 7], [9, 6, 7]])).shape
    torch.Size([2, 3, 32])
    """

    def __init__(  # noqa: PLR0913  sizes, hashes, and the options of every table
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        num_rows: int,
        boundary_id: int,
        ngram_size: int = 3,
        heads: int = 8,
        layer: int = 0,
        seed: int = 0,
        multiple: int = 128,
        sparse: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(num_embeddings=num_embeddings, num_rows=num_rows, heads=heads, multiple=multiple)
        tables = (ngram_size - 1) * heads
        if ngram_size < 2 or embedding_dim < 1 or embedding_dim % tables:
            raise UsageError(
                f"ngram_size must be at least 2, and embedding_dim a multiple of heads · (ngram_size - 1) = {tables}; "
                f"got {ngram_size} and {embedding_dim}"
            )
        if not 0 <= boundary_id < num_embeddings or layer < 0:
            raise UsageError(
                f"boundary_id must be an id below {num_embeddings}, and layer 0 or more; got {boundary_id} and {layer}"
            )
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.boundary_id, self.ngram_size, self.heads = boundary_id, ngram_size, heads
        self.multipliers = _multipliers(num_embeddings, ngram_size, seed + SEED_STEP * layer)
        self.sizes = list(islice(primes_from(num_rows), layer * tables, (layer + 1) * tables))
        self.offsets = [0, *accumulate(self.sizes[:-1])]
        rows = -(-sum(self.sizes) // multiple) * multiple
        self.table = TokenEmbedding(rows, embedding_dim // tables, sparse=sparse, device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Initialize the table again."""
        self.table.reset_parameters()

    def forward(self, ids: Tensor, previous: Tensor | None = None) -> Tensor:
        """Join the rows of the n-grams of each token.

        Args:
            ids: (batch, seq) int64 or int32.
            previous: (batch, ngram_size - 1) ids before these, of tokens in the cache; by default the beginning.

        Returns:
            (batch, seq, d).

        Raises:
            UsageError: For an id out of range, or another shape.
        """
        rows: Tensor = self.table(self.rows_of(ids, previous))
        return rows.flatten(-2)

    def rows_of(self, ids: Tensor, previous: Tensor | None = None) -> Tensor:
        """Indices of the rows (batch, seq, heads · (ngram_size - 1)) int64; the arguments are those of `forward`."""
        if ids.dim() != 2 or (previous is not None and previous.shape != (ids.shape[0], self.ngram_size - 1)):
            given = None if previous is None else tuple(previous.shape)
            raise UsageError(
                f"ids must have shape (batch, seq) and previous (batch, {self.ngram_size - 1}), got "
                f"{tuple(ids.shape)} and {given}"
            )
        if previous is None:
            previous = ids.new_full((ids.shape[0], self.ngram_size - 1), self.boundary_id)
        for each in (ids, previous):
            check_ids(each, self.num_embeddings)
        history = torch.cat([previous, ids], 1).long()
        mixed, hashes = history * self.multipliers[0], []
        for shift in range(1, self.ngram_size):
            mixed = mixed ^ self._shifted(history, shift) * self.multipliers[shift]
            heads = slice((shift - 1) * self.heads, shift * self.heads)
            for size, offset in zip(self.sizes[heads], self.offsets[heads], strict=True):
                hashes.append(mixed % size + offset)
        return torch.stack(hashes, -1)[:, self.ngram_size - 1 :]

    def _shifted(self, history: Tensor, shift: int) -> Tensor:
        """The id `shift` places before each, or the boundary if a text begins in between."""
        before = functional.pad(history[:, :-shift], (shift, 0), value=self.boundary_id)
        ends = functional.pad(history[:, :-1] == self.boundary_id, (1, 0)).long()
        # A text begins in between if one of the last `shift` places begins one.
        begins = sum(functional.pad(ends[:, : ends.shape[1] - back], (back, 0)) for back in range(shift))
        return torch.where(torch.as_tensor(begins) > 0, self.boundary_id, before)

    def recorded_settings(self) -> list[int]:
        """What determines the rows of an n-gram."""
        return [self.boundary_id, self.heads, *self.multipliers, *self.sizes]

    def explain_settings(self, found: list[int] | None, state: Mapping[str, Any]) -> str | None:
        """Explain a difference in hashes; a state of transformers records none."""
        if found is None or found == self.recorded_settings():
            return None
        return "the state was saved with other hashes; build the module with the sizes, seed and layer of that one"

    def extra_repr(self) -> str:
        """The sizes."""
        return f"{self.num_embeddings}, {self.embedding_dim}, ngram_size={self.ngram_size}, heads={self.heads}"


class ByteNgramEmbedding(CountedModule):
    """ids (batch, seq) → (batch, seq, d): the sum of the rows of the byte n-grams that end at each byte.

    It is added to the rows of the bytes. The hash of an n-gram is its polynomial in a large prime, modulo `num_rows`;
    bytes before the beginning count as 0.

    Source: Pagnoni et al. 2024, "Byte Latent Transformer", section 3.2.1; bit for bit transformers' BLT.

    Args:
        embedding_dim: d.
        num_rows: Rows of each size and hash.
        sizes: The n.
        num_hashes: Hashes for each n.
        sparse: As in `TokenEmbedding`.
        device: Device of the weight.
        dtype: Dtype of the weight.

    Raises:
        UsageError: For a size below 1; in forward for another shape.

    >>> ByteNgramEmbedding(8, num_rows=1000)(torch.tensor([list(b"row space")])).shape
    torch.Size([1, 9, 8])
    """

    def __init__(
        self,
        embedding_dim: int,
        *,
        num_rows: int = 500_002,
        sizes: Sequence[int] = (3, 4, 5, 6, 7, 8),
        num_hashes: int = 1,
        sparse: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        smallest = min(sizes, default=0)
        require_positive(num_rows=num_rows, num_hashes=num_hashes, smallest_size=smallest)
        self.num_rows, self.sizes, self.num_hashes = num_rows, tuple(sizes), num_hashes
        rows = num_rows * len(self.sizes) * num_hashes
        self.table = TokenEmbedding(rows, embedding_dim, sparse=sparse, device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Initialize the table again."""
        self.table.reset_parameters()

    def forward(self, ids: Tensor) -> Tensor:
        """Ids of bytes (batch, seq) → (batch, seq, d)."""
        total: Tensor = self.table(self.rows_of(ids)).sum(-2)
        return total

    def rows_of(self, ids: Tensor) -> Tensor:
        """Indices of the rows (batch, seq, num_hashes · sizes) int64."""
        if ids.dim() != 2:
            raise UsageError(f"ids must have shape (batch, seq), got {tuple(ids.shape)}")
        hashes: list[Tensor] = []
        for index in range(self.num_hashes):
            for size in self.sizes:
                # Sums and products are modulo 2⁶⁴, as in the published hash; `sum` is not in onnxruntime.
                mixed = ids.long()
                for back in range(1, size):
                    before = functional.pad(ids.long(), (back, 0))[:, : ids.shape[1]]
                    mixed = mixed * PRIMES[index % len(PRIMES)] + before
                hashes.append(mixed % self.num_rows + len(hashes) * self.num_rows)
        return torch.stack(hashes, -1)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"num_rows={self.num_rows}, sizes={self.sizes}, num_hashes={self.num_hashes}"


def _multipliers(num_embeddings: int, count: int, seed: int) -> list[int]:
    """Odd numbers, pseudorandom for a seed, whose product with an id is below 2⁶³."""
    half = max(1, (2**63 - 1) // num_embeddings // 2)
    return [2 * (mixed_bits(seed + GAMMA * (index + 2)) % half) + 1 for index in range(count)]


def primes_from(least: int) -> Iterator[int]:
    """The primes from `least` on."""
    return (number for number in count(least) if _is_prime(number))


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))
