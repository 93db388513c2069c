"""A table of learned rows, looked up by id: `TokenEmbedding`; of segments: `SegmentEmbedding`, and `segments_of`.

BERT calls segments token types: 0 for the first sentence, 1 for the second.
"""

import math
from collections.abc import Callable
from typing import Any, Literal, Self

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, is_finite, require_bool, require_positive, row_index
from rowspace.layers.base_modules import CountedModule
from rowspace.layers.tables.constraints import Constraint
from rowspace.layers.tables.distributed_lookup import is_distributed
from rowspace.layers.tables.init import Init, init_rows_
from rowspace.layers.tables.lookup import lookup

Scale = float | Literal["sqrt", "rounded_sqrt"] | None
RowReader = Callable[["TokenEmbedding", Tensor], Tensor | None]


class TokenEmbedding(CountedModule, nn.Embedding):
    """ids (...) int32 or int64 → (..., d): row `weight[id]` of a table (V, d), times `scale`.

    It is a subclass of `nn.Embedding` with the same arguments, so code that checks for that class accepts it:
    DistributedDataParallel with sparse gradients, tensor parallelism, PEFT, `resize_token_embeddings` of transformers.
    `max_norm` and `scale_grad_by_freq` are not supported.

    Source: Bengio et al. 2003; the scale from Vaswani et al. 2017, section 3.4, and Google's release of Gemma (2024).

    Args:
        num_embeddings: V.
        embedding_dim: d.
        padding_idx: A row that is initialized to zero and gets no gradient.
        max_norm: Must be None.
        norm_type: Ignored, since it belongs to `max_norm`.
        scale_grad_by_freq: Must be False.
        sparse: See `lookup`; with a deferred optimizer of `rowspace.optim`, the gradient is not coalesced.
        _weight: The weight (V, d) instead of a new one, which `init` does not change.
        _freeze: Whether `weight` gets no gradient.
        device: Device of the weight.
        dtype: Dtype of the weight.
        scale: None, a number, `"sqrt"` for √d (2017 Transformer), or `"rounded_sqrt"` for √d first rounded to the dtype
            of the weight (Gemma: in bfloat16 √3072 = 55.43 is 55.5). `weight` itself is not scaled, as a tied head
            requires.
        init: See `init_rows_`.
        constraint: A bound on the norms of the rows, applied after each optimizer step: see `constrain`.

    Raises:
        UsageError: For invalid arguments; in forward for an id out of range, with its position.

    >>> embedding = TokenEmbedding(10, 4, padding_idx=0, scale="sqrt")
    >>> embedding(torch.tensor([[3, 1, 0]])).shape
    torch.Size([1, 3, 4])
    >>> embedding.num_parameters, embedding.bytes
    (40, 160)
    """

    row_reader: RowReader | None = None  # of a deferred optimizer or `vocabulary_parallel`; None or its None: `lookup`

    def __init__(  # noqa: PLR0913, PLR0917  the arguments of nn.Embedding, and those of this class
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
        *,
        scale: Scale = None,
        init: Init = "normal",
        constraint: Constraint | None = None,
    ) -> None:
        require_positive(num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        padding_idx = row_index(padding_idx, num_embeddings)
        for name, value in (("sparse", sparse), ("_freeze", _freeze)):
            require_bool(name, value)
        weight = torch.empty(num_embeddings, embedding_dim, device=device, dtype=dtype) if _weight is None else _weight
        _check_size(weight, num_embeddings, embedding_dim)
        super().__init__(
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, weight, _freeze
        )
        self.scale = checked_scale(scale)
        self.init = init
        self.constraint = constraint
        if _weight is None:
            self.reset_parameters()

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        **options: Any,
    ) -> Self:
        """Wrap an existing table, as `nn.Embedding.from_pretrained` does.

        Args:
            embeddings: (V, d) floating; it is not copied, and its padding row does not change.
            freeze: Whether `weight` gets no gradient.
            padding_idx: As in the constructor.
            max_norm: Must be None.
            norm_type: Ignored.
            scale_grad_by_freq: Must be False.
            sparse: As in the constructor.
            **options: Other arguments of the constructor, such as `scale`.

        Returns:
            The module.

        Raises:
            UsageError: If `embeddings` is not 2-D, or for `max_norm` or `scale_grad_by_freq`.
        """
        if embeddings.dim() != 2:
            raise UsageError(f"embeddings must be a table (V, d), not of shape {list(embeddings.shape)}")
        _refuse_max_norm(max_norm)
        _refuse_scaling_by_count(scale_grad_by_freq)
        if padding_idx is not None:
            options["padding_idx"] = padding_idx
        if sparse:
            options["sparse"] = sparse
        table = cls(embeddings.shape[0], embeddings.shape[1], device="meta", **options)
        table.weight = nn.Parameter(embeddings.detach(), requires_grad=not freeze)
        return table

    @property
    def max_norm(self) -> None:
        """Always None: forward does not modify rows as in `nn.Embedding`; use `constraint=MaxNorm(...)`."""
        return

    @max_norm.setter
    def max_norm(self, value: float | None) -> None:
        _refuse_max_norm(value)

    @property
    def scale_grad_by_freq(self) -> bool:
        """Always False: gradients are not divided by the count of each id."""
        return False

    @scale_grad_by_freq.setter
    def scale_grad_by_freq(self, value: bool) -> None:
        _refuse_scaling_by_count(value)

    @property
    def embed_scale(self) -> Tensor | None:
        """The scale as transformers' embeddings store it, by which PEFT multiplies rows that it computes itself.

        It is on the CPU, also if the weight is offloaded. PEFT rounds it to the dtype of the rows, so that `"sqrt"` and
        `"rounded_sqrt"` are the same there.
        """
        if self.scale is None:
            return None
        dtype = self.weight.dtype if self.scale == "rounded_sqrt" else torch.float64
        row = torch.empty(self.weight.shape[1], dtype=dtype, device="cpu")
        return torch.as_tensor(_factor(row, self.scale), dtype=dtype, device="cpu")

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse a sharded weight with sparse gradients, which `fully_shard` sets and could not reduce in backward."""
        if name == "weight" and self.__dict__.get("sparse") and is_distributed(value):
            raise UsageError(
                f"a table of shape {list(value.shape)} has sparse gradients, which cannot be sharded; build it with "
                "sparse=False, or keep it whole by ignored_params={table.weight} and use rowspace.optim.DeferredAdamW"
            )
        super().__setattr__(name, value)

    def reset_parameters(self) -> None:
        """Initialize the rows by `init` and the padding row to zero."""
        init_rows_(self.weight, self.init, padding_idx=self.padding_idx)

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → rows (..., d), in the dtype of the table."""
        rows = None if self.row_reader is None else self.row_reader(self, ids)
        if rows is None:
            rows = lookup(ids, self.weight, padding_idx=self.padding_idx, sparse=self.sparse)
        return scaled(rows, self.scale)

    def extra_repr(self) -> str:
        """The sizes, and the options that are not None."""
        shown = {"padding_idx": self.padding_idx, "scale": self.scale, "constraint": self.constraint}
        options = [f"{name}={value!r}" for name, value in shown.items() if value is not None]
        return ", ".join([str(self.num_embeddings), str(self.embedding_dim), *options])


def _check_size(weight: Tensor, num_embeddings: int, embedding_dim: int) -> None:
    if list(weight.shape) != [num_embeddings, embedding_dim]:
        raise UsageError(
            f"_weight must have the shape {[num_embeddings, embedding_dim]} of the other arguments, not "
            f"{list(weight.shape)}"
        )


def _refuse_max_norm(value: float | None) -> None:
    if value is not None:
        raise UsageError(f"max_norm is {value}, but forward does not modify rows; pass constraint=MaxNorm({value})")


def _refuse_scaling_by_count(value: bool) -> None:
    if value:
        raise UsageError("scale_grad_by_freq is not supported; leave it False, or use nn.Embedding")


def checked_scale(scale: Scale) -> Scale:
    """Return the scale, or raise `UsageError` if it is not a valid one."""
    if isinstance(scale, str) and scale not in ("sqrt", "rounded_sqrt"):
        raise UsageError(f"scale must be a number, 'sqrt', 'rounded_sqrt' or None, not {scale!r}")
    if not isinstance(scale, str | None) and not is_finite(scale):
        raise UsageError(f"scale must be finite, not {scale!r}; None turns it off")
    return scale


def scaled(rows: Tensor, scale: Scale) -> Tensor:
    """Multiply new rows (..., d) by the scale, in place: a second copy would cost as much as the lookup.

    >>> scaled(torch.ones(4), "sqrt")
    tensor([2., 2., 2., 2.])
    """
    if scale is None:
        return rows
    factor = _factor(rows, scale)
    return rows * factor if is_distributed(rows) else rows.mul_(factor)


def _factor(rows: Tensor, scale: float | str) -> float | Tensor:
    """The scale as a number, for rows (..., d)."""
    if not isinstance(scale, str):
        return float(scale)
    root = math.sqrt(rows.shape[-1])
    return root if scale == "sqrt" else torch.full((), root, dtype=rows.dtype, device=rows.device)


class SegmentEmbedding(TokenEmbedding):
    """segment_ids (...) → (..., d): one learned row per segment, shared by all its tokens.

    Without `segment_ids`, all tokens are in segment 0, and the result is its row (d,), which broadcasts without a copy.

    Source: Devlin et al. 2018, section 3.

    Args:
        num_segments: Number of rows.
        embedding_dim: d.
        device: Device of the weight.
        dtype: Dtype of the weight.

    Raises:
        UsageError: For a size below 1; in forward for a segment out of range.

    >>> import torch
    >>> segments = SegmentEmbedding(2, 4)
    >>> segments(torch.tensor([[0, 0, 1]])).shape, segments().shape
    (torch.Size([1, 3, 4]), torch.Size([4]))
    """

    def __init__(
        self, num_segments: int, embedding_dim: int, *, device: Device = None, dtype: torch.dtype | None = None
    ) -> None:
        require_positive(num_segments=num_segments)
        super().__init__(num_segments, embedding_dim, device=device, dtype=dtype)

    def forward(self, segment_ids: Tensor | None = None) -> Tensor:
        """segment_ids (...) → (..., d); None → the row of segment 0 (d,)."""
        return self.weight[0] if segment_ids is None else super().forward(segment_ids)


def segments_of(ids: Tensor, separator_id: int) -> Tensor:
    """Ids (batch, seq) → segment_ids (batch, seq) int64: a separator is the last token of its segment.

    Tokens after the last separator are padding and get 0, as in BERT's tokenizer.

    Args:
        ids: (batch, seq) integers.
        separator_id: Id of the separator (`[SEP]`).

    Returns:
        (batch, seq) int64.

    >>> import torch
    >>> segments_of(torch.tensor([[101, 7, 102, 8, 9, 102, 0, 0]]), separator_id=102)
    tensor([[0, 0, 0, 1, 1, 1, 0, 0]])
    """
    ends = (ids == separator_id).long()
    before = ends.cumsum(-1) - ends
    return before.masked_fill(before == ends.sum(-1, keepdim=True), 0)
