"""`CountedModule`: the base class of modules that report their number of parameters and bytes."""

from itertools import chain

from torch import Tensor, nn


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
