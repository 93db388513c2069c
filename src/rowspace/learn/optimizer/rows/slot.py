"""A parameter of a deferred optimizer, which hooks find by its number: `RowSlot`, `slot_of`."""

import itertools
import weakref
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.layers._torch_private import is_transform_active, outside_transforms
from rowspace.learn.optimizer.rows.table import RowTable

__all__ = ["RowSlot", "slot_of"]


class RowSlot:
    """A parameter of an optimizer, and its table once it had a sparse gradient."""

    def __init__(self, parameter: nn.Parameter) -> None:
        self.parameter = parameter
        self.table: RowTable | None = None
        self.number = next(_numbers)
        for slot in list(_slots.values()):
            if slot.parameter is parameter:  # of another optimizer
                slot.flush()
        _slots[self.number] = self

    def catch_up(self, ids: Any) -> None:
        """Bring the rows of ids up to date; inside `torch.func` those of the whole batch."""
        if self.table is None or not isinstance(ids, Tensor) or ids.is_meta:
            return
        if not is_transform_active():
            self.table.catch_up(ids)
            return
        ids = torch.func.debug_unwrap(ids)
        with outside_transforms():
            self.table.catch_up(ids)

    def flush(self) -> None:
        """Bring all rows up to date."""
        if self.table is not None:
            self.table.flush()


_numbers = itertools.count(1)
_slots: "weakref.WeakValueDictionary[int, RowSlot]" = weakref.WeakValueDictionary()


def slot_of(number: int) -> RowSlot | None:
    """The slot of this number, or None if its optimizer is gone."""
    return _slots.get(number)
