"""Base classes of modules that report their size, save their settings, or have constant tensors."""

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.layers.arguments import Device

__all__ = ["ConstantBuffers", "CountedModule", "RecordedSettings"]

_KEY = "_extra_state"  # torch's key for the result of get_extra_state


class CountedModule(nn.Module):
    """A module that reports its number of parameters and bytes; a shared tensor counts once."""

    @property
    def num_parameters(self) -> int:
        """Number of elements of all parameters, learned or frozen, and buffers."""
        return sum(tensor.numel() for tensor in self._tensors())

    @property
    def bytes(self) -> int:
        """Memory of parameters and buffers in bytes, without gradients and optimizer state."""
        return sum(tensor.numel() * tensor.element_size() for tensor in self._tensors())

    def _tensors(self) -> list[Tensor]:
        """Parameters and buffers, each shared one once."""
        return list(chain(self.parameters(), self.buffers()))


class RecordedSettings(nn.Module):
    """Save settings that are needed to interpret the tensors in `state_dict`; `load_state_dict` refuses others."""

    def recorded_settings(self) -> list[int]:
        """The settings, which must be equal in a state and in the module that loads it."""
        raise NotImplementedError

    def explain_settings(self, found: list[int] | None, state: Mapping[str, Any]) -> str | None:
        """Return the message for a state that does not match, or None if it matches.

        Args:
            found: The settings of the state, or None if it records none.
            state: The tensors of this module by name.

        Returns:
            The message, or None.
        """
        raise NotImplementedError

    def get_extra_state(self) -> Tensor:
        """The settings, (n,) int64 on the CPU: a tensor, so that safetensors can store it."""
        return torch.tensor(self.recorded_settings(), dtype=torch.int64, device="cpu")

    def set_extra_state(self, state: Any) -> None:
        """Do nothing: `_load_from_state_dict` has already compared the settings."""

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        found = state_dict.get(prefix + _KEY)
        own = {key.removeprefix(prefix): value for key, value in state_dict.items() if key.startswith(prefix)}
        if own:
            problem = self._problem(found, own)
            if problem is not None:
                error_msgs.append(f"{prefix.removesuffix('.') or type(self).__name__}: {problem}")
                kept = {prefix + name: parameter.detach() for name, parameter in self.named_parameters()}
                state_dict.update({name: kept[name] for name in kept.keys() & state_dict})  # for the modules inside
                return
        state_dict.setdefault(prefix + _KEY, self.get_extra_state())  # the state has none
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def _problem(self, found: Any, own: Mapping[str, Any]) -> str | None:
        """The message for settings that are damaged or do not match, or None."""
        if found is None:
            return self.explain_settings(None, own)
        if not isinstance(found, Tensor) or found.dtype != torch.int64 or found.dim() != 1:
            return "its recorded settings are damaged; save the state again"
        return self.explain_settings(found.tolist(), own)


class ConstantBuffers(nn.Module):
    """A module whose constant tensors, such as frequencies and slopes, move with it and never change value or dtype.

    A plain buffer has three problems: `module.to(torch.bfloat16)` rounds it, `to_empty` after a build on the meta
    device fills it with uninitialized memory, and loading with `assign=True` leaves it on the meta device. The
    constants here are computed on the CPU, follow the module to its device, and keep their dtype and values. They are
    not in `state_dict`.

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
