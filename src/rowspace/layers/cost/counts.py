"""The sizes and costs of a model's input and head: `Cost`, a count for each part and what follows from it.

Plain arithmetic: nothing is built, and this file does not import torch.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from rowspace.errors import UsageError

Dtype = Literal["float32", "bfloat16", "float16", "int8", "int4"]
Optimizer = Literal["sgd", "momentum", "adagrad", "adam", "adamw"]

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
# How many numbers an optimizer keeps for each parameter.
STATE = {"sgd": 0, "momentum": 1, "adagrad": 1, "adam": 2, "adamw": 2}

PARTS = ("tokens", "projection", "positions", "segments", "prefix", "patches", "norm", "head")


class TrainingBytes(NamedTuple):
    """Bytes held while a model learns, activations aside."""

    weights: int
    gradient: int
    state: int


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Input and head of one model, counted in parameters; `body` is what lies between them, `None` if not known.

    - `tokens`, `positions`, `segments`: the tables. `projection`: from the width of the rows to the model's (ALBERT).
    - `prefix`: class, distillation, mask and register tokens. `patches`: the map from pixels. `norm`: of the input.
    - `head`: all that the head has for itself: bias, BERT's transform, and the matrix unless it is `tied`.
    - `num_embeddings` V, `row_dim` the width of a row, `hidden_dim` d, `num_layers`, `position_scheme` by name.
    - `input_products`, `head_products`: multiply-adds for one token, or one patch; those of a lookup are none.

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
        """Parameters by part, those parts that the model has; a tied matrix counts as `tokens`, and once."""
        return {part: getattr(self, part) for part in PARTS if getattr(self, part)}

    @property
    def num_parameters(self) -> int:
        """All parameters of input and head."""
        return sum(self.parameters.values())

    @property
    def tables(self) -> int:
        """The parameters that are rows looked up by token, position and segment."""
        return self.tokens + self.positions + self.segments

    @property
    def head_matrix(self) -> int:
        """The parameters of the matrix behind the logits, which a tied head shares with the table; 0 without a head."""
        return self.tokens if self.head_products else 0

    @property
    def total(self) -> int | None:
        """The parameters of the whole model; `None` if the config does not tell."""
        return None if self.body is None else self.num_parameters + self.body

    @property
    def share(self) -> float | None:
        """Input and head as a part of the whole model, 0 … 1."""
        return None if self.total is None else self.num_parameters / self.total

    @property
    def bytes(self) -> dict[str, int]:
        """The memory of input and head, by dtype.

        In int8 and int4 the token table and the head's own matrix are quantized with one float32 scale a row, as
        `QuantizedEmbedding` keeps them; all else stays float32.
        """
        sizes = {dtype: size * self.num_parameters for dtype, size in BYTES.items()}
        matrices = 0 if not self.num_embeddings else 1 if self.tied else 2
        rest = 4 * (self.num_parameters - matrices * self.tokens)
        for dtype, width in (("int8", self.row_dim), ("int4", -(-self.row_dim // 2))):
            sizes[dtype] = rest + matrices * self.num_embeddings * (width + 4)
        return sizes

    def training_bytes(self, optimizer: Optimizer = "adamw", *, dtype: str = "float32") -> TrainingBytes:
        """Weights, dense gradient and optimizer state of input and head, all in `dtype`, as torch keeps them.

        Raises `UsageError` for an optimizer or dtype that is not known.

        >>> Cost(tokens=1000).training_bytes("adamw")
        TrainingBytes(weights=4000, gradient=4000, state=8000)
        """
        size = _known("dtype", dtype, BYTES) * self.num_parameters
        return TrainingBytes(size, size, _known("optimizer", optimizer, STATE) * size)

    def lookup_bytes(self, tokens: int = 1, *, dtype: str = "float32") -> int:
        """The bytes that a lookup of `tokens` ids moves: each id (int64) and row read, each row written.

        That is all it costs: a lookup does not multiply or add.

        >>> Cost(row_dim=768).lookup_bytes(tokens=1024, dtype="bfloat16")
        3153920
        """
        return tokens * (8 + 2 * self.row_dim * _known("dtype", dtype, BYTES))

    def input_flops(self, tokens: int = 1) -> int:
        """Floating-point operations of the input's matrix products for `tokens` ids or patches; a lookup has none."""
        return 2 * self.input_products * tokens

    def head_flops(self, tokens: int = 1) -> int:
        """Floating-point operations from hidden states to logits for `tokens` places, two for each multiply-add."""
        return 2 * self.head_products * tokens


def _known(argument: str, name: str, table: dict[str, int]) -> int:
    """The value under `name`, or a `UsageError` that says which names there are."""
    if name not in table:
        raise UsageError(f"{argument} must be one of {', '.join(table)}, not {name!r}")
    return table[name]
