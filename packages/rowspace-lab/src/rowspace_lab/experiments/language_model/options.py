"""The options of a language model and of its training: fields with help, bounds and defaults for the command line."""

import dataclasses
import os
from collections.abc import Iterable
from typing import Annotated, Literal, TypedDict

from rowspace._base.options import Option, Seed, validate_options
from rowspace._base.parallel import available_cores
from rowspace.errors import UsageError
from rowspace.text import TokenizerOptions

__all__ = ["Block", "ModelOptions", "Positions", "TokenOptions", "TrainKeywords", "TrainingOptions"]

Positions = Literal["rotary", "learned", "alibi", "sinusoid", "none"]
Block = Literal["gpt2", "llama", "mpt"]

DEFAULT_VOCABULARY_SIZE = 4096


@dataclasses.dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """The shape of a decoder.

    Attributes:
        dim: Width of a row and of all hidden states.
        layers: Number of blocks.
        heads: Attention heads of a block; they divide `dim`.
        mlp_ratio: Width of the inner layer of an MLP divided by `dim`. A "llama" block, whose MLP has three matrices
            instead of two, has 2/3 of it, so that the number of parameters is the same.
        positions: "rotary" and "alibi" act in attention, "learned" and "sinusoid" are added to the rows. Sinusoids are
            much larger than rows of the default `init_std`: they need `scaled` and `init_std = dim ** -0.5`.
        block: "gpt2" (LayerNorm, GELU, biases), "llama" (RMSNorm, SwiGLU, no biases) or "mpt" (LayerNorm and GELU
            without biases). Keep it fixed to compare schemes of positions.
        tied: Whether the head uses the rows of the input table.
        scaled: Whether the input multiplies rows by √dim (2017 Transformer, Gemma).
        init_std: Standard deviation of the initial rows.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> ModelOptions(dim=64).heads
    4
    """

    dim: Annotated[int, Option("Width of a row and of the hidden states.", minimum=1, maximum=65_536)] = 128
    layers: Annotated[int, Option("Number of blocks.", minimum=1, maximum=1_000)] = 4
    heads: Annotated[int, Option("Attention heads per block.", minimum=1, maximum=1_024)] = 4
    mlp_ratio: Annotated[float, Option("Inner width of an MLP, as a multiple of dim.", minimum=0.1, maximum=64.0)] = 4.0
    positions: Annotated[Positions, Option("Position scheme.")] = "rotary"
    block: Annotated[Block, Option("Norm, activation and biases of the blocks.")] = "gpt2"
    tied: Annotated[
        bool,
        Option("Share the input rows with the head, or learn separate ones.", default="tied", flags="--tied/--untied"),
    ] = True
    scaled: Annotated[
        bool, Option("Multiply the input rows by the square root of dim.", default="unscaled", flags="--scaled")
    ] = False
    init_std: Annotated[float, Option("Standard deviation of the initial rows.", minimum=1e-6, maximum=100.0)] = 0.02

    def __post_init__(self) -> None:
        validate_options(self)
        if self.dim % self.heads:
            raise UsageError(f"heads must divide dim, but {self.heads} does not divide {self.dim}")
        if self.positions == "rotary" and self.head_dim % 2:
            raise UsageError(
                f"rotary positions need an even width of a head, not dim / heads = {self.head_dim}; change one of them"
            )
        if self.positions == "sinusoid" and self.dim % 2:
            raise UsageError(f"sinusoid positions need an even dim, not {self.dim}")

    @property
    def head_dim(self) -> int:
        """The width of an attention head."""
        return self.dim // self.heads

    @property
    def inner_dim(self) -> int:
        """The width of the inner layer of an MLP."""
        share = 2 / 3 if self.block == "llama" else 1
        return max(1, round(share * self.mlp_ratio * self.dim))


@dataclasses.dataclass(frozen=True)
class TokenOptions(TokenizerOptions):
    """`TokenizerOptions` for a language model: byte pairs by default, fewer of them, and no words.

    Attributes:
        vocabulary_size: Maximum number of tokens of a trained tokenizer; None is 4096.

    Raises:
        UsageError: A value is invalid, or the tokens are words: they leave out white space, punctuation and rare words,
            so what a model predicts would not be the text.

    >>> TokenOptions().tokens, TokenOptions("wordpiece", vocabulary_size=500).vocabulary_size
    ('bpe', 500)
    """

    tokens: Annotated[
        str | os.PathLike[str],
        Option("bpe, wordpiece, unigram, bytes or chars, trained on the text; or a tokenizer.json."),
    ] = "bpe"
    vocabulary_size: Annotated[
        int | None,
        Option(
            "Maximum number of tokens, including special ones.", minimum=1, maximum=2_000_000, default="4096; chars all"
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.tokens == "words":
            raise UsageError(
                "tokens='words' leave out white space, punctuation and rare words, so a model of them cannot be "
                "compared in bits per byte; choose bpe, wordpiece, unigram, bytes, chars or a tokenizer.json"
            )
        if self.vocabulary_size is None and self.tokens in ("bpe", "wordpiece", "unigram"):
            object.__setattr__(self, "vocabulary_size", DEFAULT_VOCABULARY_SIZE)
        super().__post_init__()


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """How a language model learns, and what is recorded of it.

    Attributes:
        steps: Updates of the model.
        batch_size: Texts of `context` tokens in each.
        context: Context length in tokens.
        lr: Maximum learning rate. The rate rises linearly to it, then falls as a cosine to a tenth of it.
        warmup: Warm-up steps; None is a tenth of `steps`, at most 100.
        weight_decay: AdamW's, of the rows and all matrices.
        beta2: AdamW's decay of the second moment; the first is 0.9.
        clip: Maximum norm of the gradient of all parameters; 0 disables clipping.
        constraint: On the norms of the input rows after each step: none, at most 1, or always 1.
        column: The column that holds the text, of files with records.
        device: "auto" is CUDA if there is one. On a CPU, the same call repeats bit for bit, with the same `workers`.
        workers: Threads; None uses all cores.
        seed: Seed of the initial values and of the order of the text.
        save_seconds: Seconds between checkpoints.
        save_steps: Steps between checkpoints; None saves by `save_seconds` only.
        evaluate: Steps between evaluations on a part of the held-out text; None is a 10th of `steps`.
        record: Steps between records of all rows' statistics and of snapshots; None is a 25th of `steps`.
        sample: Rows of a snapshot, in addition to `watch`.
        watch: Tokens whose rows are in every snapshot, with the sums of their gradients.
        rows: With `init`: rows that learn freely, stay frozen, or learn a change of low rank (LoRA, Hu et al. 2021).
        lora_rank: The rank of that change.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> TrainingOptions(steps=50).warmup_steps
    5
    """

    steps: Annotated[int, Option("Number of updates of the model.", minimum=1, maximum=1_000_000_000)] = 600
    batch_size: Annotated[int, Option("Texts per step.", minimum=1, maximum=65_536)] = 16
    context: Annotated[int, Option("Context length in tokens.", minimum=1, maximum=1_000_000)] = 128
    lr: Annotated[float, Option("Maximum learning rate.", minimum=0.0, maximum=100.0)] = 3e-3
    warmup: Annotated[
        int | None,
        Option(
            "Warm-up steps.",
            minimum=0,
            maximum=1_000_000_000,
            default="a tenth of the steps, at most 100",
        ),
    ] = None
    weight_decay: Annotated[float, Option("AdamW's weight decay.", minimum=0.0, maximum=100.0)] = 0.1
    beta2: Annotated[float, Option("AdamW's decay of the second moment.", minimum=0.0, maximum=0.999999)] = 0.95
    clip: Annotated[float, Option("Maximum gradient norm; 0 disables clipping.", minimum=0.0, maximum=1e9)] = 1.0
    constraint: Annotated[
        Literal["none", "max", "unit"], Option("Norms of the input rows: any, at most 1, or always 1.")
    ] = "none"
    column: Annotated[
        str | None,
        Option("The column with the text, in files with records (JSON, CSV, Parquet).", default="plain text"),
    ] = None
    device: Annotated[Literal["auto", "cpu", "cuda"], Option("Device; auto is CUDA if available.")] = "auto"
    workers: Annotated[
        int | None,
        Option("Threads; results repeat with the same number of them.", minimum=1, maximum=1_024, default="all cores"),
    ] = None
    seed: Seed = 1
    save_seconds: Annotated[float, Option("Seconds between checkpoints.", minimum=0.0, maximum=1e9)] = 60.0
    save_steps: Annotated[
        int | None, Option("Steps between checkpoints.", minimum=1, maximum=1_000_000_000, default="by time only")
    ] = None
    evaluate: Annotated[
        int | None,
        Option("Steps between evaluations on held-out text.", minimum=1, maximum=1_000_000_000, default="a 10th"),
    ] = None
    record: Annotated[
        int | None,
        Option("Steps between records of the rows.", minimum=1, maximum=1_000_000_000, default="a 25th"),
    ] = None
    sample: Annotated[int, Option("Number of rows in a snapshot.", minimum=0, maximum=2**31 - 1)] = 256
    watch: Annotated[
        Iterable[str] | None,
        Option("A token to record in every snapshot; repeat for more.", default="none"),
    ] = None
    rows: Annotated[
        Literal["free", "frozen", "lora"], Option("With --init: train all rows, none, or a low-rank change (LoRA).")
    ] = "free"
    lora_rank: Annotated[int, Option("Rank of LoRA.", minimum=1, maximum=65_536)] = 8

    def __post_init__(self) -> None:
        validate_options(self)
        object.__setattr__(self, "watch", tuple(self.watch or ()))
        if self.column is not None and not (isinstance(self.column, str) and self.column):
            raise UsageError(f"column must be the name of a column, not {self.column!r}")
        if self.constraint != "none" and self.rows != "free":
            raise UsageError(f"constraint={self.constraint!r} needs rows='free', not rows={self.rows!r}")

    @property
    def warmup_steps(self) -> int:
        """The warm-up steps."""
        return min(100, self.steps // 10) if self.warmup is None else self.warmup

    @property
    def evaluate_steps(self) -> int:
        """The steps between two evaluations."""
        return self.evaluate or max(1, self.steps // 10)

    @property
    def record_steps(self) -> int:
        """The steps between two records of the rows."""
        return self.record or max(1, self.steps // 25)

    @property
    def threads(self) -> int:
        """The number of workers."""
        return self.workers or available_cores()


class TrainKeywords(TypedDict, total=False):
    """The options of `train`, for type checkers; `shows_options` lists them at run time."""

    dim: int
    layers: int
    heads: int
    mlp_ratio: float
    positions: Positions
    block: Block
    tied: bool
    scaled: bool
    init_std: float
    steps: int
    batch_size: int
    context: int
    lr: float
    warmup: int | None
    weight_decay: float
    beta2: float
    clip: float
    constraint: Literal["none", "max", "unit"]
    column: str | None
    device: Literal["auto", "cpu", "cuda"]
    workers: int | None
    seed: int
    save_seconds: float
    save_steps: int | None
    evaluate: int | None
    record: int | None
    sample: int
    watch: Iterable[str] | None
    rows: Literal["free", "frozen", "lora"]
    lora_rank: int
    tokens: str | os.PathLike[str]
    vocabulary_size: int | None
