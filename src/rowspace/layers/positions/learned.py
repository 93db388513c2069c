"""A learned row for each position, as in BERT, GPT-2, RoBERTa, OPT and BART."""

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.positions.position_ids import Counting, check_counting, count_positions
from rowspace.layers.tables.gather import check_ids, require_tensor
from rowspace.layers.tables.init import Init, init_rows_
from rowspace.layers.tables.lookup import lookup

__all__ = ["LearnedPosition"]


class LearnedPosition(nn.Module):
    """Row `offset + position` of a table of `max_positions + offset` rows, `weight: (max_positions + offset, d)`.

    ============  ========================================  ==========================
    model         arguments beside the two sizes            padding reads
    ============  ========================================  ==========================
    BERT, GPT-2   none                                      the row of its place
    BART          `offset=2`                                the row of its place
    OPT           `offset=2, counting="mask"`               row 1
    RoBERTa       `counting="ids", padding_idx=1`           row `padding_idx`, all zero
    ============  ========================================  ==========================

    Counting by ids, `offset` is `padding_idx + 1`: a RoBERTa of 512 positions has 514 rows. `weight` begins as `init`
    says (see `init_rows_`); its gradient is summed in float32 whatever its dtype. Source: Devlin et al. 2018;
    fairseq for the offsets; equal to transformers' modules to the bit.

    >>> roberta = LearnedPosition(512, 8, counting="ids", padding_idx=1)
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
        counting: Counting = "place",
        padding_idx: int | None = None,
        init: Init = "normal",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(max_positions=max_positions, embedding_dim=embedding_dim)
        self.max_positions = max_positions
        self.embedding_dim = embedding_dim
        self.counting = check_counting(counting, padding_idx)
        self.padding_idx = padding_idx
        self.offset = _checked_offset(offset, padding_idx, counting)
        self.init = init
        self.weight = nn.Parameter(torch.empty(max_positions + self.offset, embedding_dim, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Begin again, as `init` says, drawing from `generator` where one is given."""
        init_rows_(self.weight, self.init, padding_idx=self.padding_idx, generator=generator)

    def forward(
        self, ids: Tensor, *, mask: Tensor | None = None, positions: Tensor | None = None, start: int = 0
    ) -> Tensor:
        """Ids `(batch, seq)` → `(batch, seq, d)`, or `(seq, d)` where every text gets the same rows.

        Of ids only the shape is used, but for counting by ids. mask: `(batch, start + seq)`, for counting by mask (no
        mask: no padding). `positions`, `(seq,)` or `(batch, seq)`, count from 0, and `offset` is added to them:
        transformers' `position_ids` of a RoBERTa, which count from `padding_idx + 1`, are `positions + offset`.
        `start` is the number of tokens in the cache. Raises `UsageError` for a sequence longer than the
        table, and for a position that has no row.
        """
        require_tensor(ids, "ids")
        if positions is None and self.counting == "place":
            self._check_length(start + ids.shape[-1])
            first = self.offset + start
            return self.weight[first : first + ids.shape[-1]]
        numbers = self.row_numbers(ids, mask=mask, positions=positions, start=start)
        return lookup(numbers, self.weight, padding_idx=self.padding_idx)

    def row_numbers(
        self, ids: Tensor, *, mask: Tensor | None = None, positions: Tensor | None = None, start: int = 0
    ) -> Tensor:
        """Which row of `weight` each token gets: `(seq,)` or `(batch, seq)` int64; raises as `forward` does."""
        if positions is not None:
            self._check_positions(positions)
            return positions + self.offset
        self._check_length(start + ids.shape[-1])
        return self.offset + count_positions(ids, self.counting, mask=mask, start=start, padding_idx=self.padding_idx)

    def _check_length(self, length: int) -> None:
        if length > self.max_positions:
            raise UsageError(
                f"a sequence of {length} tokens is longer than the {self.max_positions} positions of the table; "
                f"cut the text"
            )

    def _check_positions(self, positions: Tensor) -> None:
        """Look at them before `offset` hides which they were, wherever ids can be looked at."""
        try:
            check_ids(positions, self.max_positions)
        except UsageError as error:
            found = str(error).removeprefix("id ").split(";")[0]
            hint = f"; offset = {self.offset} is added to them: subtract it from row numbers" if self.offset else ""
            raise UsageError(
                f"positions must be integers from 0 to {self.max_positions - 1}, but {found}{hint}"
            ) from None

    def extra_repr(self) -> str:
        """What `print` shows between the brackets."""
        return f"{self.max_positions}, {self.embedding_dim}, offset={self.offset}, counting={self.counting!r}"


def _checked_offset(offset: int | None, padding_idx: int | None, counting: Counting) -> int:
    """The rows before that of position 0, of which padding reads the last."""
    least = padding_idx + 1 if padding_idx is not None else int(counting == "mask")
    if offset is None:
        return least
    if offset < least or (padding_idx is not None and offset > least):
        raise UsageError(
            f"offset is {offset}, but counting by {counting!r} needs {least} rows before position 0, and padding "
            f"reads the last; leave it out"
        )
    return offset
