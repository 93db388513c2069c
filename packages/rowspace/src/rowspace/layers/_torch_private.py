"""PyTorch's private API, which may change with any release: every use of it is a function of this module.

`CHECKED_VERSIONS` lists the releases that these functions were checked with; a test compares it with the installed one.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup
    from torch.distributed.tensor import DTensor

__all__ = [
    "CHECKED_VERSIONS", "assert_on_device", "call_plainly", "first_local_row", "group_of", "is_batched",
    "is_in_data_parallel", "is_traced", "is_transform_active", "local_offset", "outside_transforms",
]  # fmt: skip

CHECKED_VERSIONS = ("2.13",)


def is_transform_active() -> bool:
    """Whether a transform of `torch.func` (`grad`, `vmap`, `jvp`, ...) is running.

    `torch.func` has no public function for this.
    """
    return torch._C._are_functorch_transforms_active()


def is_traced() -> bool:
    """Whether `torch.jit.trace` is recording; torch has no public function for this."""
    return torch._C._get_tracing_state() is not None


def is_batched(tensor: Tensor) -> bool:
    """Whether `vmap` runs over a dimension of this tensor.

    `torch.func` has no public function for this.
    """
    functorch = torch._C._functorch
    while functorch.is_functorch_wrapped_tensor(tensor):
        if functorch.is_batchedtensor(tensor):
            return True
        tensor = functorch.get_unwrapped(tensor)
    return False


def assert_on_device(holds: Tensor, message: str) -> None:
    """Stop the device, with the message, if a boolean tensor () is false; the host does not wait for it.

    torch has no public function for this.
    """
    torch._assert_async(holds, message)


@contextmanager
def outside_transforms() -> Iterator[None]:
    """A context in which neither the transforms of `torch.func` nor any tracer see operations on tensors.

    torch has no public function for this; `torch.func.debug_unwrap` makes tensors ordinary.
    """
    traced = torch._C._get_tracing_state()  # of torch.jit.trace
    set_traced = cast(Any, torch._C)._set_tracing_state if traced else lambda _: None
    set_traced(None)
    try:
        with torch._C._DisableFuncTorch(), _disable_current_modes():
            yield
    finally:
        set_traced(traced)


def call_plainly(func: Callable[..., Any], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
    """Call a function of tensors that does not see the classes of its arguments, and returns ordinary tensors.

    torch documents `DisableTorchFunctionSubclass` for this, in its private module.
    """
    with torch._C.DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


def first_local_row(table: "DTensor") -> int:
    """The index, in the full table (V, ...), of the first row of this process's shard."""
    return local_offset(table)[0]


def local_offset(table: "DTensor") -> tuple[int, ...]:
    """The index, in each dimension of the full table, of the first number of this process's shard.

    A `DTensor` has no public attribute for it.
    """
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset  # slow to import

    return compute_local_shape_and_global_offset(table.shape, table.device_mesh, table.placements)[1]


def group_of(name: str) -> "ProcessGroup":
    """The group of processes of this name, which an operator takes instead of the group.

    torch has no public function for this.
    """
    from torch.distributed import distributed_c10d

    return cast("ProcessGroup", cast(Any, distributed_c10d)._resolve_process_group(name))


def is_in_data_parallel() -> bool:
    """Whether the forward of a `DistributedDataParallel` is running.

    torch has no public function for this.
    """
    return torch.nn.parallel.DistributedDataParallel._get_active_ddp_module() is not None
