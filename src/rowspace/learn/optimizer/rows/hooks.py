"""What a module with deferred rows does before its rows are read: `RowHook`."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from rowspace.layers import TokenEmbedding
from rowspace.learn.optimizer.rows.reader import ReaderHandle, RowReader
from rowspace.learn.optimizer.rows.slot import slot_of

__all__ = ["Handle", "RowHook"]

Call = tuple[tuple[Any, ...], dict[str, Any]]
Handle = RemovableHandle | ReaderHandle


class RowHook:
    """The hooks of one module, which do nothing once its optimizer is gone.

    A copy of the module has rows that are up to date and no optimizer.

    Args:
        number: That of a `RowSlot`, or 0 for none.
    """

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def attach(self, module: nn.Module) -> list[Handle]:
        """Register the hooks with a module, and return their handles."""
        handles: list[Handle] = []
        if isinstance(module, TokenEmbedding) and type(module).forward is TokenEmbedding.forward:
            handles.append(RowReader(self.number).attach(module))
        return [
            *handles,
            module.register_forward_pre_hook(self.before_forward, with_kwargs=True),
            module.register_state_dict_pre_hook(self.before_state_dict),
            module.register_load_state_dict_pre_hook(self.before_load),
        ]

    def before_forward(self, module: nn.Module, arguments: tuple[Any, ...], named: dict[str, Any]) -> Call | None:
        """Catch up the rows of the ids, which are the first argument."""
        if self.number == 0 or torch.compiler.is_exporting():
            return None
        if torch.compiler.is_compiling():
            return self._in_graph(arguments, named)
        if getattr(getattr(module, "row_reader", None), "number", None) == self.number:
            return None  # forward catches up
        ids = arguments[0] if arguments else next(iter(named.values()), None)
        slot = slot_of(self.number)
        if slot is not None:
            slot.catch_up(ids)
        return None

    def _in_graph(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Call:
        """Let the lookup depend on an operator that returns the ids, so that it comes after the catch-up."""
        if arguments:
            return (catch_up(arguments[0], self.number), *arguments[1:]), named
        name = next(iter(named))
        return arguments, {**named, name: catch_up(named[name], self.number)}

    def before_state_dict(self, *_: Any) -> None:
        """Bring all rows up to date before they are read."""
        slot = slot_of(self.number)
        if slot is not None:
            slot.flush()

    def before_load(self, *_: Any) -> None:
        """The same before they are replaced, or the steps missed so far would be taken by the new rows."""
        self.before_state_dict()

    def __deepcopy__(self, memo: dict[int, Any]) -> "RowHook":
        """Write rows that are up to date to a copy of the parameter, which may have been made before."""
        slot = slot_of(self.number)
        if slot is not None:
            slot.flush()
            parameter = memo.get(id(slot.parameter))
            if parameter is not None:
                parameter.detach().copy_(slot.parameter.detach())
        return RowHook()

    def __reduce__(self) -> tuple[type["RowHook"], tuple[()]]:
        """Bring all rows up to date: `torch.save` writes them after it has pickled the module."""
        self.before_state_dict()
        return RowHook, ()


@torch.library.custom_op("rowspace::catch_up", mutates_args=())
def catch_up(ids: Tensor, number: int) -> Tensor:
    """Catch up the rows `ids` of a slot, and return a copy of the ids."""
    slot = slot_of(number)
    if slot is not None:
        slot.catch_up(ids)
    return ids.clone()


@catch_up.register_fake
def _(ids: Tensor, number: int) -> Tensor:
    return torch.empty_like(ids)
