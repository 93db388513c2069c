"""Constant tensors of a module: frequencies, slopes, wavelengths.

A plain buffer has three problems: `module.to(torch.bfloat16)` rounds it, `to_empty` after a build on the meta device
fills it with uninitialized memory, and loading with `assign=True` leaves it on the meta device. The constants here are
computed on the CPU, follow the module to its device, and keep their dtype and values. They are not in `state_dict`.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.layers.arguments import Device

__all__ = ["ConstantBuffers"]


class ConstantBuffers(nn.Module):
    """A module whose constant tensors move with it and never change value or dtype.

    Args:
        device: Where the constants are created.
        dtype: Accepted as in modules with parameters, and ignored.

    >>> import torch
    >>> module = ConstantBuffers()
    >>> module.register_constant("slopes", torch.tensor([0.1, 0.01]))
    >>> module.to(torch.bfloat16).slopes
    tensor([0.1000, 0.0100])
    >>> module.state_dict()
    OrderedDict()
    """

    def __init__(self, *, device: Device = None, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        self._device = None if device is None else torch.device(device)
        self._constants: dict[str, Tensor] = {}

    def register_constant(self, name: str, values: Tensor) -> None:
        """Store a constant as an attribute.

        Args:
            name: Name of the attribute.
            values: A tensor on the CPU.
        """
        self._constants[name] = values
        self.register_buffer(name, values if self._device is None else values.to(self._device), persistent=False)

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], *others: Any
    ) -> None:
        """With `assign=True`, parameters leave the meta device, and the constants do, too."""
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)
        for name, values in self._constants.items():
            if local_metadata.get("assign_to_params_buffers") and self.get_buffer(name).is_meta:
                setattr(self, name, values)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "ConstantBuffers":
        """Called for every move and cast of `nn.Module`: only the device of the constants changes."""
        super()._apply(fn, recurse)
        for name, values in self._constants.items():
            setattr(self, name, values.to(self.get_buffer(name).device))
        return self
