"""The number of parameters and bytes of a module: `CountedModule`, the base of the modules that own a table."""

from itertools import chain

from torch import Tensor, nn


class CountedModule(nn.Module):
    """A module that states how many numbers it holds and how many bytes they take; each tensor counts once."""

    @property
    def num_parameters(self) -> int:
        """The numbers that the module holds, learned or frozen."""
        return sum(tensor.numel() for tensor in self._tensors())

    @property
    def bytes(self) -> int:
        """The memory that they take, gradients and optimizer state aside."""
        return sum(tensor.numel() * tensor.element_size() for tensor in self._tensors())

    def _tensors(self) -> list[Tensor]:
        """Parameters and buffers; one that stands in two places is there once."""
        return list(chain(self.parameters(), self.buffers()))
