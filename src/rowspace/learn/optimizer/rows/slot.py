"""A parameter of a deferred optimizer, whose rows may be behind: `RowSlot`, `DeferredParameter`.

Modules, heads, averages, files and the user's own code read a table in many ways, but each of them is an operation on
the parameter. torch passes these to `__torch_function__` of its class, where the rows are brought up to date.
"""

import gc
import itertools
import os
import weakref
from collections.abc import Callable, Iterator
from types import GetSetDescriptorType
from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers._torch_private import is_transform_active, outside_transforms
from rowspace.learn.optimizer.rows.gradient import RowGradient
from rowspace.learn.optimizer.rows.processes import average_gradient, require_equal_rows
from rowspace.learn.optimizer.rows.table import RowTable, rows_of

__all__ = ["DeferredParameter", "RowSlot", "catch_up", "slot_of"]

Function = Callable[..., Any]
Arguments = tuple[Any, ...]

VALUES = {"data", "real", "imag", "T", "H", "mT", "mH", "__dict__", "__weakref__"}  # attributes that show the rows
METHODS_WITHOUT_ROWS = (
    "__hash__", "__len__", "dim", "element_size", "get_device", "is_complex", "is_conj", "is_contiguous",
    "is_floating_point", "is_inference", "is_neg", "is_pinned", "is_same_size", "is_shared", "is_signed", "ndimension",
    "nelement", "numel", "register_hook", "register_post_accumulate_grad_hook", "requires_grad_", "retain_grad", "size",
    "storage_offset", "stride",
)  # fmt: skip


class RowSlot:
    """A parameter of an optimizer, and its table once it had a sparse gradient.

    Args:
        parameter: It becomes a `DeferredParameter` until `release`.

    Raises:
        UsageError: If it belongs to another deferred optimizer, or is of a class of its own.
    """

    def __init__(self, parameter: nn.Parameter) -> None:
        _require_free(parameter)
        self.parameter = parameter
        self.table: RowTable | None = None
        self.number = next(_numbers)
        self._averaged: tuple[weakref.ref[Tensor], int] | None = None  # a gradient and its version
        self.unseen = 0  # rows that had a gradient in a backward pass, but were read without being brought up to date
        _slots[self.number] = self
        parameter.__class__ = DeferredParameter
        parameter.slot_number = self.number  # type: ignore[attr-defined]  # its class has just been set
        self._check = _hook_of_gradient(parameter, self.number)

    def release(self) -> None:
        """Bring all rows up to date, and give the parameter its class back."""
        self.flush()
        self._check.remove()
        self.parameter.__class__ = nn.Parameter
        del self.parameter.slot_number  # type: ignore[attr-defined]

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

    def open(self) -> bool:
        """Bring all values up to date before an operation that may read or write any; returns if one was behind."""
        if self.table is None:
            return False
        with outside_transforms():
            was_behind = self.table.catch_up_all()
        self.table.note_access()
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
        if type(self.parameter) is not DeferredParameter:  # torch.utils.swap_tensors exchanges the classes
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


class DeferredParameter(nn.Parameter):
    """A parameter (V, d) of a deferred optimizer: lookups bring their rows up to date, other operations all rows.

    An existing parameter gets this class, so that it stays the same object in all modules that share it. A copy of it
    is an `nn.Parameter`.
    """

    slot_number: int

    def __new__(cls, data: Tensor, requires_grad: bool = True) -> nn.Parameter:  # type: ignore[misc]  # see above
        """Make a copy, as libraries do by `type(parameter)(data)`; it belongs to no optimizer."""
        return nn.Parameter(data.detach(), requires_grad)

    @classmethod
    def __torch_function__(
        cls, func: Function, types: Any, args: Arguments = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Bring the rows that `func` reads up to date, then call it."""
        kwargs = kwargs or {}
        if torch.compiler.is_dynamo_compiling():
            args, kwargs = _in_graph(func, args, kwargs)
        elif func == GRADIENT:
            return _as_row_gradient(super().__torch_function__(func, types, args, kwargs))
        elif func not in WITHOUT_ROWS:
            _before(func, args, kwargs)
        return super().__torch_function__(func, types, args, kwargs)

    def __repr__(self) -> str:  # type: ignore[override]  # as nn.Parameter
        return repr(nn.Parameter(self.detach(), self.requires_grad))

    def __deepcopy__(self, memo: dict[int, Any]) -> nn.Parameter:
        """Copy rows that are up to date."""
        if id(self) not in memo:
            memo[id(self)] = nn.Parameter(self.detach().clone(), self.requires_grad)
        copied: nn.Parameter = memo[id(self)]
        return copied

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle rows that are up to date."""
        return nn.Parameter(self.detach(), self.requires_grad).__reduce_ex__(protocol)


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


def _require_free(parameter: nn.Parameter) -> None:
    """Raise `UsageError` for a parameter of another deferred optimizer, or of a class of its own."""
    if isinstance(parameter, DeferredParameter):
        gc.collect()  # a learning rate scheduler keeps an optimizer that nobody uses in a cycle of references
    if isinstance(parameter, DeferredParameter):
        raise UsageError(
            f"the table of shape {list(parameter.shape)} already belongs to a deferred optimizer; delete that one "
            "first (del optimizer), or pass each table to one optimizer only"
        )
    if type(parameter) is not nn.Parameter:
        raise UsageError(
            f"the table of shape {list(parameter.shape)} is a {type(parameter).__name__} and not an nn.Parameter, so "
            "that its reads cannot be followed; use torch.optim.AdamW"
        )


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


def _without_rows() -> frozenset[Function]:
    """The functions that read no rows: the shape, the gradient and other attributes."""
    found = [getattr(Tensor, name) for name in METHODS_WITHOUT_ROWS]
    found += [torch.is_complex, torch.is_floating_point, torch.is_same_size, torch.numel]
    for name in {name for base in (Tensor, torch._C.TensorBase) for name in vars(base)} - VALUES:
        attribute = getattr(Tensor, name)
        if isinstance(attribute, GetSetDescriptorType | property):
            found += [attribute.__get__, attribute.__set__, attribute.__delete__]
    return frozenset(found)


WITHOUT_ROWS = _without_rows()
GRADIENT = Tensor.grad.__get__  # type: ignore[union-attr]  # a descriptor
LOOKUPS = (functional.embedding, functional.embedding_bag)


def _as_row_gradient(gradient: Tensor | None) -> Tensor | None:
    """Give a sparse gradient the class that torch's clipping understands."""
    if gradient is not None and gradient.is_sparse and type(gradient) is Tensor:
        gradient.__class__ = RowGradient
    return gradient


def _before(func: Function, args: Arguments, kwargs: dict[str, Any]) -> None:
    """Bring the rows that an operation reads or writes up to date."""
    is_lookup = func in LOOKUPS and not torch.compiler.is_compiling()  # the ids have values
    ids = (args[0] if args else kwargs.get("input")) if is_lookup else None
    for parameter in _parameters((args, kwargs)):
        slot = slot_of(parameter.slot_number)
        if slot is None:
            continue
        if isinstance(ids, Tensor) and ids is not parameter:
            slot.catch_up(ids)
            if slot.table is not None and (args[3:4] or (kwargs.get("max_norm"),))[0] is not None:
                slot.table.note_access()  # the lookup scales rows in place
        else:
            slot.open()


def _parameters(value: Any) -> Iterator[DeferredParameter]:
    """The parameters among arguments, which may be nested in lists and dictionaries."""
    if isinstance(value, DeferredParameter):
        yield value
    elif isinstance(value, dict):
        yield from _parameters(tuple(value.values()))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _parameters(item)


def _in_graph(func: Function, args: Arguments, kwargs: dict[str, Any]) -> Arguments:
    """Put an operator that brings rows up to date before an operation of a compiled graph; returns its arguments."""
    is_attribute = func.__name__ in ("__get__", "__set__") and func.__self__.__name__ not in VALUES  # type: ignore[attr-defined]
    if torch.compiler.is_exporting() or is_attribute or func is bring_all:
        return args, kwargs
    if func not in LOOKUPS:
        for parameter in _parameters((args, kwargs)):
            with torch.no_grad():
                bring_all(parameter, parameter.slot_number)
        return args, kwargs
    weight = args[1] if len(args) > 1 else kwargs["weight"]
    if args:
        return (catch_up(args[0], weight.slot_number, False), *args[1:]), kwargs
    return args, {**kwargs, "input": catch_up(kwargs["input"], weight.slot_number, False)}


@torch.library.custom_op("rowspace::catch_up", mutates_args=())
def catch_up(argument: Tensor, number: int, all_rows: bool) -> Tensor:
    """Bring all rows of a slot up to date, or those whose ids the argument has; returns a copy of the argument."""
    slot = slot_of(number)
    if slot is not None and all_rows:
        slot.open()
    elif slot is not None:
        slot.catch_up(argument)
    return argument.clone()


@torch.library.custom_op("rowspace::catch_up_all", mutates_args={"table"})
def catch_up_all(table: Tensor, number: int) -> None:
    """Bring all rows of a slot up to date; `table` is its parameter, or a copy that the graph has made of it.

    The first of these operators in a graph finds rows that are behind, before the graph writes to its copy.
    """
    slot = slot_of(number)
    if slot is not None and slot.open():
        rows = rows_of(slot.parameter)
        if table.data_ptr() != rows.data_ptr():
            table.copy_(rows)


bring_all = torch.ops.rowspace.catch_up_all.default


@catch_up.register_fake
def _(argument: Tensor, number: int, all_rows: bool) -> Tensor:
    return torch.empty_like(argument)


catch_up.register_autograd(lambda _, gradient: (gradient, None, None))


@catch_up_all.register_fake
def _(table: Tensor, number: int) -> None:
    pass
