"""The parameters of a model's input and head by part, and bytes and operations computed from them: `Cost`.

Plain arithmetic: nothing is built, and this file does not import torch.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from rowspace.errors import UsageError


def linear(inputs: int, outputs: int, *, bias: bool = True) -> int:
    """A matrix and a bias."""
    return inputs * outputs + outputs * bias


def layer_norm(dim: int) -> int:
    """A weight and a bias."""
    return 2 * dim


def attention(dim: int, *, queries: int | None = None, keys: int | None = None, bias: bool = True) -> int:
    """Queries, keys, values and output; `queries` and `keys` are dimensions of all heads together, by default `dim`."""
    queries = dim if queries is None else queries
    keys = queries if keys is None else keys
    return linear(dim, queries, bias=bias) + 2 * linear(dim, keys, bias=bias) + linear(queries, dim, bias=bias)


def feed_forward(dim: int, inner: int, *, bias: bool = True, gated: bool = False) -> int:
    """Two projections, up and down, and with a gate another one up."""
    return (1 + gated) * linear(dim, inner, bias=bias) + linear(inner, dim, bias=bias)


def classic_block(dim: int, inner: int) -> int:
    """The block of the 2017 Transformer with biases and two LayerNorms: BERT, GPT-2, OPT, ViT, CLIP."""
    return attention(dim) + feed_forward(dim, inner) + 2 * layer_norm(dim)


Optimizer = Literal["sgd", "momentum", "adagrad", "adam", "adamw"]

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
PAGE = 4096  # bytes that a system reads at once
# Numbers of optimizer state per parameter.
STATE = {"sgd": 0, "momentum": 1, "adagrad": 1, "adam": 2, "adamw": 2}

PARTS = ("tokens", "ngrams", "per_layer", "projection", "positions", "segments", "prefix", "patches", "norm", "head")


class TrainingBytes(NamedTuple):
    """Memory for training in bytes, without activations."""

    weights: int
    gradient: int
    state: int


class MappedBytes(NamedTuple):
    """Bytes of tables in a file: `disk`, all rows; `memory`, at most the pages of rows that are read."""

    disk: int
    memory: int


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The parameters of a model's input and head.

    Attributes:
        model_type: As in config.json.
        num_embeddings: V.
        row_dim: Dimension of a row of the token table.
        hidden_dim: d, the dimension of hidden states.
        num_layers: Number of blocks.
        tied: Whether head and token table are one tensor.
        position_scheme: Name of the position scheme.
        tokens: Parameters of the token table.
        ngrams: Parameters of the tables of n-grams (Engram, BLT).
        per_layer: Parameters of the table with rows for each layer (Gemma 3n and 4).
        second_dim: Dimension of a row of `ngrams` or `per_layer`.
        second_reads: Rows of these that are read per token.
        projection: Parameters of the map from `row_dim` to `hidden_dim` (ALBERT), or to the rows for each layer.
        positions: Parameters of the position table.
        segments: Parameters of the segment table.
        prefix: Parameters of class, distillation, mask and register tokens.
        patches: Parameters of the projection of patches.
        norm: Parameters of the norm of the input.
        head: Parameters of the head: bias, BERT's transform, and the matrix unless it is tied.
        body: Parameters of everything between input and head, or None if unknown.
        input_products: Multiply-adds of the input per token or patch; a lookup has none.
        head_products: Multiply-adds of the head per token.

    >>> cost = Cost(num_embeddings=10_000, row_dim=512, hidden_dim=512, tokens=5_120_000, head_products=5_120_000)
    >>> cost.bytes["float32"] / 2**20  # MiB
    19.53125
    """

    model_type: str = ""
    num_embeddings: int = 0
    row_dim: int = 0
    hidden_dim: int = 0
    num_layers: int | None = None
    tied: bool = True
    position_scheme: str = "none"
    tokens: int = 0
    ngrams: int = 0
    per_layer: int = 0
    second_dim: int = 0
    second_reads: int = 0
    projection: int = 0
    positions: int = 0
    segments: int = 0
    prefix: int = 0
    patches: int = 0
    norm: int = 0
    head: int = 0
    body: int | None = None
    input_products: int = 0
    head_products: int = 0

    @property
    def parameters(self) -> dict[str, int]:
        """Parameters by part, for existing parts; a tied matrix counts once, as `tokens`."""
        return {part: getattr(self, part) for part in PARTS if getattr(self, part)}

    @property
    def num_parameters(self) -> int:
        """Number of parameters of input and head."""
        return sum(self.parameters.values())

    @property
    def second(self) -> int:
        """Parameters of the tables of n-grams or rows for each layer."""
        return self.ngrams + self.per_layer

    @property
    def tables(self) -> int:
        """Parameters of the tables."""
        return self.tokens + self.second + self.positions + self.segments

    @property
    def head_matrix(self) -> int:
        """Parameters of the matrix of the logits, which a tied head shares with the table; 0 without a head."""
        return self.tokens if self.head_products else 0

    @property
    def total(self) -> int | None:
        """Parameters of the model, or None if `body` is unknown."""
        return None if self.body is None else self.num_parameters + self.body

    @property
    def share(self) -> float | None:
        """Share of input and head in the parameters of the model, 0 to 1, or None if `body` is unknown."""
        return None if self.total is None else self.num_parameters / self.total

    @property
    def bytes(self) -> dict[str, int]:
        """Memory of input and head in bytes, by dtype.

        For int8 and int4 the token table, the tables of `second` and an untied matrix of the head are quantized with
        one float32 scale per row, as in `QuantizedEmbedding`; the rest is float32.
        """
        sizes = {dtype: size * self.num_parameters for dtype, size in BYTES.items()}
        matrices = 0 if not self.num_embeddings else 1 if self.tied else 2
        rest = 4 * (self.num_parameters - matrices * self.tokens - self.second)
        second_rows = self.second // max(1, self.second_dim)
        for dtype, per_byte in (("int8", 1), ("int4", 2)):
            width, second = (-(-dim // per_byte) + 4 for dim in (self.row_dim, self.second_dim))
            sizes[dtype] = rest + matrices * self.num_embeddings * width + second_rows * second
        return sizes

    def mapped_bytes(self, tokens: int = 1, *, dtype: str = "float32") -> MappedBytes:
        """Compute what tables cost in a file, as `MappedEmbedding` keeps them, on disk and in memory.

        Counted are the tables of `second`, and the token table unless a tied head reads all of it.

        Args:
            tokens: Number of ids whose rows are in use, all different.
            dtype: Dtype of the rows.

        Returns:
            Bytes.

        Raises:
            UsageError: For an unknown dtype.

        >>> Cost(tokens=10**9, num_embeddings=10**7, row_dim=100, tied=False).mapped_bytes(1000)
        MappedBytes(disk=4000000000, memory=8192000)
        """
        size, disk, memory = _known("dtype", dtype, BYTES), 0, 0
        for parameters, dim, reads in (
            (self.second, self.second_dim, self.second_reads),
            (0 if self.tied and self.head_products else self.tokens, self.row_dim, 1),
        ):
            pages = -(-parameters * size // PAGE) + 1
            of_a_row = (dim * size - 2) // PAGE + 2  # a row may begin at the end of a page
            disk += parameters * size
            memory += min(pages, tokens * reads * of_a_row) * PAGE * (parameters > 0)
        return MappedBytes(disk, memory)

    def training_bytes(self, optimizer: Optimizer = "adamw", *, dtype: str = "float32") -> TrainingBytes:
        """Compute the memory of weights, dense gradient and optimizer state of input and head.

        Args:
            optimizer: "sgd", "momentum", "adagrad", "adam" or "adamw".
            dtype: Dtype of all three.

        Returns:
            Bytes.

        Raises:
            UsageError: For an unknown optimizer or dtype.

        >>> Cost(tokens=1000).training_bytes("adamw")
        TrainingBytes(weights=4000, gradient=4000, state=8000)
        """
        size = _known("dtype", dtype, BYTES) * self.num_parameters
        return TrainingBytes(size, size, _known("optimizer", optimizer, STATE) * size)

    def lookup_bytes(self, tokens: int = 1, *, dtype: str = "float32") -> int:
        """Compute the bytes that a lookup moves: each id (int64) and row read, each row written; it has no operations.

        Args:
            tokens: Number of ids.
            dtype: Dtype of the rows.

        Returns:
            Bytes.

        Raises:
            UsageError: For an unknown dtype.

        >>> Cost(row_dim=768).lookup_bytes(tokens=1024, dtype="bfloat16")
        3153920
        """
        numbers = self.row_dim + self.second_reads * self.second_dim
        return tokens * (8 * (1 + self.second_reads) + 2 * numbers * _known("dtype", dtype, BYTES))

    def input_flops(self, tokens: int = 1) -> int:
        """Compute the floating-point operations of the input, two per multiply-add; a lookup has none.

        Args:
            tokens: Number of ids or patches.

        Returns:
            Operations.
        """
        return 2 * self.input_products * tokens

    def head_flops(self, tokens: int = 1) -> int:
        """Compute the floating-point operations from hidden states to logits, two per multiply-add.

        Args:
            tokens: Number of hidden states.

        Returns:
            Operations.
        """
        return 2 * self.head_products * tokens


def _known(argument: str, name: str, table: dict[str, int]) -> int:
    """The value of `name`, or a `UsageError` that lists the names."""
    if name not in table:
        raise UsageError(f"{argument} must be one of {', '.join(table)}, not {name!r}")
    return table[name]
