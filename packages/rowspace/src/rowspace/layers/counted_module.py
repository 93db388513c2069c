"""The base classes of modules that report their size, `CountedModule`, or save their settings, `RecordedSettings`."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn

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
