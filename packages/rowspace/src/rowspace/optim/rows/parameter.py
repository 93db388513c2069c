"""A table whose rows may be behind, as torch sees it: `DeferredParameter`.

Modules, heads, averages, files and the user's own code read a table in many ways, but each of them is an operation on
the parameter. torch passes these to `__torch_function__` of its class, where the rows are brought up to date.
"""

import gc
from collections.abc import Callable, Iterator
from types import GetSetDescriptorType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

import rowspace.layers  # noqa: F401  its operators are registered
from rowspace.errors import UsageError
from rowspace.layers._torch_private import call_plainly, is_traced
from rowspace.optim.rows.slot import RowSlot, slot_of

__all__ = ["DeferredParameter", "RowGradient", "catch_up", "defer", "resume"]

NORMS = {torch.linalg.vector_norm, torch._foreach_norm, torch.norm, Tensor.norm}
PRODUCTS = {Tensor.mul_, torch._foreach_mul_}
# Their results share the memory of the gradient.
SHARES = {Tensor.detach, Tensor.data.__get__}  # type: ignore[attr-defined]  # the stubs have `data` as a plain tensor


class RowGradient(Tensor):
    """A sparse gradient (V, d) of a deferred parameter, with the operations of `torch.nn.utils.clip_grad_norm_`.

    torch has none of them for sparse tensors, and the trainers of accelerate, transformers and Lightning call its
    function. The gradient that `parameter.grad` returns gets this class.
    """

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Compute norms from the sums of duplicate rows, and products on the rows in place."""
        if func in NORMS and args and len(args) < 3 and not (kwargs or {}).get("dim"):  # that of all numbers
            args = (_rows(args[0], summed=True), *args[1:])
        elif func in PRODUCTS:
            rows = (_rows(args[0], summed=False), *args[1:])
            call_plainly(func, rows, kwargs)
            return args[0]
        result = call_plainly(func, args, kwargs)
        return _as_row_gradient(result) if func in SHARES else result


def _rows(value: Any, *, summed: bool) -> Any:
    """The rows (n, d) of a gradient, or of each in a list; other tensors as they are."""
    if isinstance(value, list | tuple):
        return [_rows(item, summed=summed) for item in value]
    if not isinstance(value, RowGradient):
        return value
    gradient = call_plainly(Tensor.coalesce, (value,)) if summed else value
    return call_plainly(Tensor._values, (gradient,))


Function = Callable[..., Any]
Arguments = tuple[Any, ...]

VALUES = {"data", "real", "imag", "T", "H", "mT", "mH", "__dict__", "__weakref__"}  # attributes that show the rows
METHODS_WITHOUT_ROWS = (
    "__hash__", "__len__", "dim", "element_size", "get_device", "is_complex", "is_conj", "is_contiguous",
    "is_floating_point", "is_inference", "is_neg", "is_pinned", "is_same_size", "is_shared", "is_signed", "ndimension",
    "nelement", "numel", "register_hook", "register_post_accumulate_grad_hook", "requires_grad_", "retain_grad", "size",
    "storage_offset", "stride",
)  # fmt: skip


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

    def set_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Give the parameter other memory; torch does not pass this to `__torch_function__`."""
        _before(Tensor.set_, (self,), {})
        return super().set_(*args, **kwargs)

    def as_subclass(self, cls: type[Any]) -> Any:
        """The rows, up to date, in another class; torch does not pass this to `__torch_function__`."""
        _before(Tensor.as_subclass, (self,), {})
        return super().as_subclass(cls)

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


def defer(parameter: nn.Parameter) -> RowSlot:
    """Turn a parameter into a `DeferredParameter` until `release` of its slot.

    Raises:
        UsageError: If it belongs to another deferred optimizer, or is of a class of its own.
    """
    if isinstance(parameter, DeferredParameter):
        gc.collect()  # a learning rate scheduler keeps a discarded optimizer in a cycle of references
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
    slot = RowSlot(parameter)
    _mark(slot)
    return slot


def resume(slot: RowSlot) -> None:
    """Turn the parameter of a slot into a `DeferredParameter` again, after `release`; it may have another shape."""
    slot.watch()
    _mark(slot)


def _mark(slot: RowSlot) -> None:
    slot.parameter.__class__ = DeferredParameter
    slot.parameter.slot_number = slot.number  # type: ignore[attr-defined]  # its class has just been set


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
OPERATORS = torch.ops.rowspace  # of `layers`
LOOKUPS_IN_GRAPH = (*LOOKUPS, OPERATORS.sparse_rows.default, OPERATORS.fused_input.default)  # the ids are first
COPIED = (
    functional.linear, torch.matmul, torch.mm, torch.sum, Tensor.matmul, Tensor.mm, Tensor.__matmul__,
    Tensor.__rmatmul__, Tensor.sum, Tensor.mean, Tensor.norm, Tensor.square, Tensor.pow, Tensor.__pow__,
    OPERATORS.row_losses.default, OPERATORS.token_log_probs.default, OPERATORS.row_divergences.default,
)  # fmt: skip


def _as_row_gradient(gradient: Tensor | None) -> Tensor | None:
    """Give a sparse gradient the class that torch's clipping understands."""
    if gradient is not None and gradient.is_sparse and type(gradient) is Tensor:
        gradient.__class__ = RowGradient
    return gradient


def _before(func: Function, args: Arguments, kwargs: dict[str, Any]) -> None:
    """Bring the rows that an operation reads or writes up to date."""
    is_lookup = func in LOOKUPS and not is_traced() and not torch.compiler.is_compiling()  # the ids have values
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
            slot.is_traced |= is_traced() and not torch.onnx.is_in_onnx_export()  # which has a copy in its file


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
    """Let an operation of a compiled graph depend on an operator that brings its rows up to date.

    The operator copies the table for products and sums. Other operations may return a view of the table or write to it,
    which would be lost in a copy: they are not compiled. An operator that changes the table in place would be, but
    Inductor then writes the gradient over it, as over a saved tensor that nothing else needs.
    """
    is_attribute = func.__name__ in {"__get__", "__set__"} and _attribute(func) not in VALUES
    reads_nothing = is_attribute or func.__name__ in METHODS_WITHOUT_ROWS or func is OPERATORS.catch_up.default
    if torch.compiler.is_exporting() or reads_nothing:
        return args, kwargs
    if func in LOOKUPS_IN_GRAPH:
        number = next(_parameters((args, kwargs))).slot_number
        if args:
            return (catch_up(args[0], number, False), *args[1:]), kwargs
        return args, {**kwargs, "input": catch_up(kwargs["input"], number, False)}
    is_turned = func.__name__ == "__get__" and _attribute(func) in {"T", "mT"}
    if func not in COPIED and not is_turned:
        raise UsageError("only lookups, products and sums of the table of a deferred optimizer are compiled")
    return tuple([_current(value) for value in args]), {name: _current(value) for name, value in kwargs.items()}


def _attribute(func: Function) -> str:
    """The name of the attribute of which `func` is `__get__` or `__set__`."""
    name: str = func.__self__.__name__  # type: ignore[attr-defined]  # that of a slot wrapper
    return name


def _current(value: Any) -> Any:
    """A copy of a table with rows that are up to date; other arguments as they are."""
    return catch_up(value, value.slot_number, True) if isinstance(value, DeferredParameter) else value


@torch.library.custom_op("rowspace::catch_up", mutates_args=())
def catch_up(argument: Tensor, number: int, all_rows: bool) -> Tensor:
    """Bring all rows of a slot up to date, or those whose ids the argument has; returns a copy of the argument."""
    slot = slot_of(number)
    if slot is not None and all_rows:
        slot.open()
    elif slot is not None:
        slot.catch_up(argument)
    return argument.clone()


@catch_up.register_fake
def _(argument: Tensor, number: int, all_rows: bool) -> Tensor:
    return torch.empty_like(argument)


catch_up.register_autograd(lambda _, gradient: (gradient, None, None))
