"""What a module does before it reads rows of a deferred parameter inside `torch.func`: `RowHook`."""

from typing import Any

import torch
from torch import nn
from torch.utils.hooks import RemovableHandle

from rowspace.layers import TokenEmbedding
from rowspace.layers._torch_private import is_transform_active
from rowspace.optim.rows.parameter import DeferredParameter, catch_up
from rowspace.optim.rows.reader import ReaderHandle, RowReader
from rowspace.optim.rows.slot import slot_of

__all__ = ["Handle", "RowHook"]

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
