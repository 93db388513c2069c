"""How a module reads rows of a deferred parameter: `RowReader`, and `RowHook` before it reads inside `torch.func`.

Also which modules of a model read it, and which parameters cannot be deferred.
"""

import weakref
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.hooks import RemovableHandle

from rowspace.errors import UsageError
from rowspace.layers import TokenEmbedding
from rowspace.layers._torch_private import is_traced, is_transform_active
from rowspace.layers.head.heads import TiedHead
from rowspace.layers.tables.constraints import Constraint
from rowspace.layers.tables.distributed_lookup import is_distributed
from rowspace.optim.rows.parameter import DeferredParameter, catch_up
from rowspace.optim.rows.segments import Segments
from rowspace.optim.rows.slot import slot_of
from rowspace.optim.rows.table import RowTable

__all__ = [
    "Handle",
    "Parameters",
    "ReaderHandle",
    "RowHook",
    "RowReader",
    "checked_modules",
    "readers_of",
    "require_sparse_under_ddp",
    "require_whole",
    "sparse_modules",
]

Parameters = nn.Module | Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]


class RowReader:
    """Catches rows up and reads them in one pass over memory; the gradient is not copied until the optimizer's step.

    As for `torch.nn.Embedding(sparse=True)`, the gradient of a table is a sparse tensor that is not coalesced and has
    the memory of the gradient of the output. A copy of the module has no optimizer and an ordinary lookup.

    Args:
        number: That of a `RowSlot`, or 0 for none.
    """

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def __call__(self, module: TokenEmbedding, ids: Tensor) -> Tensor | None:
        """The rows of `ids` (...), as (..., d), or None if the module must look them up."""
        slot = None if torch.compiler.is_compiling() or is_traced() else slot_of(self.number)
        if slot is None or slot.table is None:
            return None
        is_other = module.weight is not slot.parameter  # in `functional_call`
        segments = None if is_other or is_transform_active() else slot.table.segments_to_read(ids)
        if segments is None:
            return None
        rows: Tensor = _DeferredRows.apply(ids, module.weight, module.padding_idx, (slot.table, segments))
        return rows

    def attach(self, module: TokenEmbedding) -> "ReaderHandle":
        """Let a module read its rows with this reader."""
        module.row_reader = self
        return ReaderHandle(module, self)

    def __deepcopy__(self, _: dict[int, Any]) -> "RowReader":
        return RowReader()

    def __reduce__(self) -> tuple[type["RowReader"], tuple[()]]:
        return RowReader, ()


class ReaderHandle:
    """Removes a reader from a module, unless another optimizer has replaced it."""

    def __init__(self, module: TokenEmbedding, reader: RowReader) -> None:
        self._module, self._reader = weakref.ref(module), reader

    def remove(self) -> None:
        """Let the module look up its rows again."""
        module = self._module()
        if module is not None and module.row_reader is self._reader:
            module.row_reader = None


class _DeferredRows(torch.autograd.Function):
    """Row `ids[i]` of the table, for each i."""

    @staticmethod
    def forward(
        ctx: Any, ids: Tensor, weight: Tensor, padding_idx: int | None, source: tuple[RowTable, Segments]
    ) -> Tensor:
        """(...), (V, d) → (..., d)."""
        ctx.save_for_backward(ids)
        ctx.shape, ctx.padding_idx = weight.shape, padding_idx
        table, segments = source
        return table.read(segments, ids.shape)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor, None, None]:
        """The gradient of each id, as a sparse (V, d) tensor."""
        ids, grad = ctx.saved_tensors[0].reshape(-1), grad.reshape(-1, ctx.shape[1])
        if ctx.padding_idx is not None and (ids == ctx.padding_idx).any():
            is_token = ids != ctx.padding_idx
            ids, grad = ids[is_token], grad[is_token]
        gradient = torch.sparse_coo_tensor(ids.long()[None], grad, ctx.shape, check_invariants=False)
        return None, gradient, None, None


Call = tuple[tuple[Any, ...], dict[str, Any]]
Handle = RemovableHandle | ReaderHandle


class RowHook:
    """A forward pre-hook of a module that reads a deferred parameter, which does nothing once its optimizer is gone.

    Inside `torch.func` the module has a wrapper of the parameter, whose operations the parameter does not see.
    Elsewhere they bring the rows up to date themselves.

    Args:
        number: That of a `RowSlot`, or 0 for none, as in a copy of the module.
        ids_name: The name of the module's first argument, if it has the ids of the rows that the module reads.
    """

    def __init__(self, number: int = 0, ids_name: str | None = None) -> None:
        self.number = number
        self.ids_name = ids_name

    @classmethod
    def attach(cls, module: nn.Module, number: int) -> list[Handle]:
        """Register a hook, and the reader of a `TokenEmbedding`, and return their handles."""
        handles: list[Handle] = []
        if isinstance(module, TokenEmbedding) and type(module).forward is TokenEmbedding.forward:
            handles.append(RowReader(number).attach(module))
        hook = cls(number, _ids_name(module))
        return [*handles, module.register_forward_pre_hook(hook.before_forward, with_kwargs=True)]

    def before_forward(self, module: nn.Module, arguments: tuple[Any, ...], named: dict[str, Any]) -> Call | None:
        """Catch up the rows of the ids, or all rows if the module does not say which it reads."""
        if self.number == 0 or torch.compiler.is_exporting():
            return None
        if torch.compiler.is_compiling():
            return None if isinstance(module.weight, DeferredParameter) else self._in_graph(arguments, named)
        slot = slot_of(self.number) if is_transform_active() else None
        if slot is not None and self.ids_name is not None:
            slot.catch_up(arguments[0] if arguments else named.get(self.ids_name))
        elif slot is not None:
            slot.open()
        return None

    def _in_graph(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Call:
        """Let the module depend on an operator that returns its first argument, so that it comes after the catch-up."""
        all_rows = self.ids_name is None
        if arguments:
            return (catch_up(arguments[0], self.number, all_rows), *arguments[1:]), named
        name = self.ids_name or next(iter(named))
        return arguments, {**named, name: catch_up(named[name], self.number, all_rows)}

    def __deepcopy__(self, _: dict[int, Any]) -> "RowHook":
        return RowHook()

    def __reduce__(self) -> tuple[type["RowHook"], tuple[()]]:
        return RowHook, ()


def _ids_name(module: nn.Module) -> str | None:
    """The name of the first argument of `forward` if it has the ids; a subclass may read other rows."""
    names = {TokenEmbedding.forward: "ids", nn.Embedding.forward: "input", nn.EmbeddingBag.forward: "input"}
    return names.get(type(module).forward)


def require_whole(parameter: Tensor) -> None:
    """Raise `UsageError` for a table of which a process has only a part."""
    if is_distributed(parameter):
        raise UsageError(
            f"the table of shape {list(parameter.shape)} is distributed over processes (a DTensor), so its rows cannot "
            "be deferred; use torch.optim.AdamW for it, or keep it whole in each process with sparse=True, as "
            "DistributedDataParallel or fully_shard(..., ignored_params={table.weight}) do"
        )


def require_sparse_under_ddp(parameter: Tensor, model: list[nn.Module], readers: list[nn.Module]) -> None:
    """Raise `UsageError` for a head on a table of which DistributedDataParallel expects sparse gradients."""
    if not model or not isinstance(model[0], DistributedDataParallel) or not getattr(readers[0], "sparse", False):
        return
    for reader in readers:
        if not getattr(reader, "sparse", False):
            raise UsageError(
                f"{type(reader).__name__} gives the table of shape {list(parameter.shape)} a dense gradient, but "
                "DistributedDataParallel expects a sparse one; build the table with sparse=False and use "
                "torch.optim.AdamW, which is as fast for a tied head"
            )


def readers_of(parameter: Tensor, modules: Iterable[nn.Module]) -> list[nn.Module]:
    """The modules that have the parameter, or a head tied to it."""
    return [
        module
        for module in dict.fromkeys(modules)
        if any(own is parameter for own in module._parameters.values())
        or (isinstance(module, TiedHead) and module.weight is parameter)
    ]


def sparse_modules(params: Parameters, modules: Iterable[nn.Module] | None) -> list[nn.Module]:
    """The modules with sparse gradients."""
    if modules is not None:
        return checked_modules(modules)
    if not isinstance(params, nn.Module):
        return []
    found = [module for module in params.modules() if getattr(module, "sparse", False)]
    found = [module for module in found if isinstance(getattr(module, "weight", None), nn.Parameter)]
    if not found:
        for module in params.modules():
            if isinstance(module, nn.Embedding):
                require_whole(module.weight)
        raise UsageError(
            "the model has no table with sparse gradients; build it with sparse=True, as in "
            "TokenEmbedding(..., sparse=True)"
        )
    return checked_modules(found)


def checked_modules(modules: Iterable[nn.Module]) -> list[nn.Module]:
    """The modules as a list; `UsageError` for one of which no rows can be deferred."""
    modules = list(modules)
    for module in modules:
        if isinstance(module, torch.jit.ScriptModule):
            raise UsageError("a module of TorchScript reads rows that are behind; pass the model that it was made from")
        if isinstance(module, nn.Embedding):
            require_whole(module.weight)
        if not getattr(module, "sparse", False) or not isinstance(getattr(module, "weight", None), nn.Parameter):
            raise UsageError(f"{module} has no sparse gradients; build it with sparse=True")
        if isinstance(getattr(module, "constraint", None), Constraint):
            raise UsageError(
                f"{module} has a constraint, which applies to all rows after each step; build it without, or use "
                "torch.optim.AdamW"
            )
    return modules
