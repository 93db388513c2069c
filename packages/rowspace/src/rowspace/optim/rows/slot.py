"""A parameter of a deferred optimizer, whose rows may be behind: `RowSlot`."""

import itertools
import os
import weakref
from typing import Any

import torch
from torch import Tensor, distributed, nn

from rowspace.errors import UsageError
from rowspace.layers._torch_private import is_transform_active, outside_transforms
from rowspace.optim.rows.processes import average_gradient, require_equal_rows
from rowspace.optim.rows.table import RowTable, rows_of

__all__ = ["RowSlot", "slot_of"]


class RowSlot:
    """A parameter of an optimizer, and its table once it had a sparse gradient.

    Args:
        parameter: A `DeferredParameter` until `release`, see `defer`.
    """

    def __init__(self, parameter: nn.Parameter) -> None:
        self.parameter = parameter
        self.table: RowTable | None = None
        self.number = next(_numbers)
        self._averaged: tuple[weakref.ref[Tensor], int] | None = None  # a gradient and its version
        self.is_traced = False  # so that a module of TorchScript reads the memory, which nothing sees
        self.is_shared = False  # with another parameter or buffer, through which the memory is read too
        self.was_opened = True  # since that was checked
        self.unseen = 0  # rows that had a gradient in a backward pass, but were read without being brought up to date
        self.watch()
        _slots[self.number] = self

    def watch(self) -> None:
        """See each gradient of the parameter, until `release`."""
        self._check = _hook_of_gradient(self.parameter, self.number)

    def release(self) -> None:
        """Bring all rows up to date, and give the parameter its class back."""
        self.flush()
        self._check.remove()
        self.parameter.__class__ = nn.Parameter
        del self.parameter.slot_number  # type: ignore[attr-defined]  # a DeferredParameter has it

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
        if self.table is None:
            return
        with outside_transforms():
            self.table.flush()
        self.table.note_access()  # the caller may now write to tensors that share its memory
        self.was_opened = True

    def open(self) -> bool:
        """Bring all values up to date before an operation that may read or write any; returns if one was behind."""
        if self.table is None:
            return False
        with outside_transforms():
            was_behind = self.table.catch_up_all()
        self.table.note_access()
        self.was_opened = True
        return was_behind

    def average_gradient(self, groups: list[distributed.ProcessGroup]) -> None:
        """Replace the gradient by its mean over processes that keep the table whole, unless it is that already."""
        gradient = self.parameter.grad
        if groups and gradient is not None and self._averaged is not None:
            reference, version = self._averaged
            if reference() is gradient and gradient._version == version:
                return
        if groups and self.table is None:
            require_equal_rows(self.parameter, groups)
        if groups:
            average_gradient(self.parameter, groups)
            self.mark_averaged()

    def mark_averaged(self) -> None:
        """Declare that the present gradient is the mean over all processes."""
        gradient = self.parameter.grad
        self._averaged = None if gradient is None else (weakref.ref(gradient), gradient._version)

    def note_gradient(self, gradient: Tensor) -> None:
        """Count the rows of a gradient that were behind when they were read."""
        if self.table is not None:
            self.unseen = max(self.unseen, self.table.count_behind(gradient))

    def require_seen(self) -> None:
        """Raise `UsageError` if rows had a gradient, but were behind when they were read, or if reads are not seen."""
        if getattr(self.parameter, "slot_number", 0) != self.number:  # torch.utils.swap_tensors exchanges attributes
            raise UsageError(
                f"the table of shape {list(self.parameter.shape)} was exchanged for another tensor; create the "
                "optimizer after changing the model"
            )
        unseen, self.unseen = self.unseen, 0
        if unseen:
            raise UsageError(
                f"{unseen} rows of the table of shape {list(self.parameter.shape)} were read before they were up to "
                "date, so that their gradient is wrong; they were read through a tensor that shares the memory of the "
                "weight, or before the last step: call flush() of the optimizer before such a read, or use "
                "torch.optim.AdamW"
            )


def slot_of(number: int) -> RowSlot | None:
    """The slot of this number, or None if its optimizer is gone."""
    return _slots.get(number)


_numbers = itertools.count(1)
_slots: "weakref.WeakValueDictionary[int, RowSlot]" = weakref.WeakValueDictionary()


def _flush_shared() -> None:
    """Flush tables in shared memory, whose missed steps a new process would take a second time."""
    for slot in list(_slots.values()):
        rows = rows_of(slot.parameter)
        if rows.is_cpu and rows.is_shared():
            slot.flush()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_flush_shared)


def _hook_of_gradient(parameter: nn.Parameter, number: int) -> Any:
    """Let the slot see each gradient of a backward pass, before DistributedDataParallel adds those of others."""

    def note(gradient: Tensor) -> None:
        slot = slot_of(number)
        if slot is not None:
            slot.note_gradient(gradient)

    is_trained = parameter.requires_grad
    parameter.requires_grad_(True)  # torch has no hooks for frozen parameters, but this one may be trained later
    handle = parameter.register_hook(note)
    parameter.requires_grad_(is_trained)
    return handle
