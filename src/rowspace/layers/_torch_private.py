"""PyTorch's private API, which may change with any release: every use of it is a function of this module.

`CHECKED_VERSIONS` lists the releases that these functions were checked with; a test compares it with the installed one.
"""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor

__all__ = ["CHECKED_VERSIONS", "first_local_row", "is_transform_active", "outside_transforms"]

CHECKED_VERSIONS = ("2.13",)


def is_transform_active() -> bool:
    """Whether a transform of `torch.func` (`grad`, `vmap`, `jvp`, ...) is running.

    `torch.func` has no public function for this.
    """
    return torch._C._are_functorch_transforms_active()


def outside_transforms() -> AbstractContextManager[None]:
    """A context in which operations on ordinary tensors are not seen by the transforms of `torch.func`.

    `torch.func` has no public function for this; `debug_unwrap` makes tensors ordinary.
    """
    guard: AbstractContextManager[None] = torch._C._DisableFuncTorch()
    return guard


def first_local_row(table: "DTensor") -> int:
    """The index, in the full table (V, ...), of the first row of this process's shard.

    A `DTensor` has no public attribute for the offset of its local shard.
    """
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset  # slow to import

    return compute_local_shape_and_global_offset(table.shape, table.device_mesh, table.placements)[1][0]
