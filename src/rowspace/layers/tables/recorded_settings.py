"""A module that saves settings in its state dict and refuses a state with others: `RecordedSettings`.

Without these settings its tensors would mean something else.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

_KEY = "_extra_state"  # where torch puts what get_extra_state returns


class RecordedSettings(nn.Module):
    """Record settings in `state_dict`, and refuse a state with others in `load_state_dict`, as torch refuses shapes."""

    def recorded_settings(self) -> list[int]:
        """The numbers that a state must share with the module that loads it."""
        raise NotImplementedError

    def explain_settings(self, found: list[int] | None, state: Mapping[str, Any]) -> str | None:
        """What is wrong with a state of these settings, None for one that records none; no sentence if nothing is.

        `state` holds the module's own tensors by name.
        """
        raise NotImplementedError

    def get_extra_state(self) -> Tensor:
        """The settings, (n,) int64 on the CPU: a tensor, so that safetensors can hold it."""
        return torch.tensor(self.recorded_settings(), dtype=torch.int64, device="cpu")

    def set_extra_state(self, state: Any) -> None:
        """Nothing to set: `_load_from_state_dict` has compared the settings."""

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
            problem = self.explain_settings(None if found is None else found.tolist(), own)
            if problem is not None:
                error_msgs.append(f"{prefix.removesuffix('.') or type(self).__name__}: {problem}")
                return
        state_dict.setdefault(prefix + _KEY, self.get_extra_state())  # a state from before settings were recorded
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )
