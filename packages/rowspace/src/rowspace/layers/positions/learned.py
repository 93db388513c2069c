"""A learned row for each position, as in BERT, GPT-2, RoBERTa, OPT and BART."""

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.positions.position_ids import PositionIdSource, check_source, check_start, count_positions
from rowspace.layers.tables.gather import check_ids, require_tensor
from rowspace.layers.tables.init import Init, init_rows_
from rowspace.layers.tables.lookup import lookup

__all__ = ["LearnedPosition"]


class LearnedPosition(nn.Module):
    """Row `offset + position` of a table of `max_positions + offset` rows, `weight: (max_positions + offset, d)`.

    ============  ========================================  ==========================
    model         other arguments than the two sizes        row of padding
    ============  ========================================  ==========================
    BERT, GPT-2   none                                      that of its index
    BART          `offset=2`                                that of its index
    OPT           `offset=2, position_ids_from="mask"`      row 1
    RoBERTa       `position_ids_from="ids", padding_idx=1`  row `padding_idx`, all zero
    ============  ========================================  ==========================

    The gradient of `weight` is summed in float32 for every dtype.

    Source: Devlin et al. 2018; fairseq for the offsets; bit for bit transformers' modules.

    Args:
        max_positions: Maximum number of tokens.
        embedding_dim: d.
        offset: Number of rows before that of position 0; `padding_idx + 1` with "ids" (a RoBERTa of 512 positions has
            514 rows).
        position_ids_from: "length" uses the index of each token; "mask" and "ids" do not count padding, which they find
            by the mask or by `padding_idx`.
        padding_idx: Id of the padding, with "ids".
        init: Initialization of the weight, see `init_rows_`.
        device: Device of the weight.
        dtype: Dtype of the weight.

    Raises:
        UsageError: For a size below 1, or arguments that contradict each other; in forward for a sequence longer than
            the table or a position without a row.

    >>> roberta = LearnedPosition(512, 8, position_ids_from="ids", padding_idx=1)
    >>> roberta.weight.shape, roberta(torch.tensor([[0, 31414, 2, 1]])).shape
    (torch.Size([514, 8]), torch.Size([1, 4, 8]))
    >>> LearnedPosition(512, 8)(torch.zeros(2, 600))
    Traceback (most recent call last):
    rowspace.errors.UsageError: a sequence of 600 tokens is longer than the 512 positions of the table; cut the text
    """

    def __init__(
        self,
        max_positions: int,
        embedding_dim: int,
        *,
        offset: int | None = None,
        position_ids_from: PositionIdSource = "length",
        padding_idx: int | None = None,
        init: Init = "normal",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(max_positions=max_positions, embedding_dim=embedding_dim)
        self.max_positions = max_positions
        self.embedding_dim = embedding_dim
        self.position_ids_from = check_source(position_ids_from, padding_idx)
        self.padding_idx = padding_idx
        self.offset = _checked_offset(offset, padding_idx, position_ids_from)
        self.init = init
        self.weight = nn.Parameter(torch.empty(max_positions + self.offset, embedding_dim, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Initialize the weight by `init`.

        Args:
            generator: Random generator; by default PyTorch's.
        """
        init_rows_(self.weight, self.init, padding_idx=self.padding_idx, generator=generator)

    def forward(
        self, ids: Tensor, *, mask: Tensor | None = None, positions: Tensor | None = None, start: int = 0
    ) -> Tensor:
        """Look up the rows of the positions of a batch.

        Args:
            ids: `(batch, seq)`; only the shape is used, except with `position_ids_from="ids"`.
            mask: `(batch, start + seq)`, for "mask"; without it there is no padding.
            positions: `(seq,)` or `(batch, seq)`, from 0; `offset` is added. transformers' `position_ids` of a RoBERTa,
                which start at `padding_idx + 1`, are `positions + offset`.
            start: Number of tokens in the cache.

        Returns:
            `(batch, seq, d)`, or `(seq, d)` if all texts have the same positions.

        Raises:
            UsageError: For a sequence longer than the table, a negative `start`, or a position without a row.
        """
        require_tensor(ids, "ids")
        if positions is None and self.position_ids_from == "length":
            self._check_length(ids.shape[-1], start)
            first = self.offset + start
            return self.weight[first : first + ids.shape[-1]]
        numbers = self.row_numbers(ids, mask=mask, positions=positions, start=start)
        return lookup(numbers, self.weight, padding_idx=self.padding_idx)

    def row_numbers(
        self, ids: Tensor, *, mask: Tensor | None = None, positions: Tensor | None = None, start: int = 0
    ) -> Tensor:
        """Return the row of `weight` of each token.

        Args:
            ids: As in `forward`.
            mask: As in `forward`.
            positions: As in `forward`.
            start: As in `forward`.

        Returns:
            `(seq,)` or `(batch, seq)` int64.

        Raises:
            UsageError: As in `forward`.
        """
        if positions is not None:
            self._check_positions(positions)
            return positions + self.offset
        self._check_length(ids.shape[-1], start)
        return self.offset + count_positions(
            ids, self.position_ids_from, mask=mask, start=start, padding_idx=self.padding_idx
        )

    def _check_length(self, length: int, start: int) -> None:
        check_start(start)
        length += start
        if length > self.max_positions:
            raise UsageError(
                f"a sequence of {length} tokens is longer than the {self.max_positions} positions of the table; "
                f"cut the text"
            )

    def _check_positions(self, positions: Tensor) -> None:
        """Check positions before `offset` is added, so that the message has the original ones."""
        try:
            check_ids(positions, self.max_positions)
        except UsageError as error:
            found = str(error).removeprefix("id ").split(";")[0]
            hint = f"; offset = {self.offset} is added to them, so subtract it from row numbers" if self.offset else ""
            raise UsageError(
                f"positions must be integers from 0 to {self.max_positions - 1}, but {found}{hint}"
            ) from None

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        options = f"offset={self.offset}, position_ids_from={self.position_ids_from!r}"
        return f"{self.max_positions}, {self.embedding_dim}, {options}"


def _checked_offset(offset: int | None, padding_idx: int | None, position_ids_from: PositionIdSource) -> int:
    """The number of rows before that of position 0; with "mask" and "ids" padding reads the last of these."""
    minimum = padding_idx + 1 if padding_idx is not None else int(position_ids_from == "mask")
    if offset is None:
        return minimum
    if offset < minimum or (padding_idx is not None and offset > minimum):
        bound = f"{minimum}" if padding_idx is not None else f"at least {minimum}"
        raise UsageError(
            f"offset must be {bound} with position_ids_from={position_ids_from!r}, not {offset}; omit it for that"
        )
    return offset
