"""Reading rows with an error that names an id out of range: `gather_rows`; `check_ids` only checks.

- On the CPU this is free: torch's gather checks each id anyway.
- On a GPU the host does not wait for the ids, which would delay the kernels that follow: an id out of range is a device
  assertion, as in torch. With `CUDA_LAUNCH_BLOCKING=1`, which torch's message recommends, the host waits, and the error
  names the id.
- On other devices it takes one reduction over the ids, and the host waits for its two numbers.
- In a graph (`torch.compile`, `torch.export`, a CUDA graph being captured) the host cannot wait for a value, so torch's
  own check applies: `RuntimeError` or `IndexError` on the CPU, a device assertion elsewhere.
"""

import os

import torch
from torch import Tensor
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers._torch_private import assert_on_device


def gather_rows(ids: Tensor, table: Tensor) -> Tensor:
    """The rows of `table` (V, d) at `ids` (...), as (..., d); a `UsageError` names an id out of range.

    >>> gather_rows(torch.tensor([0, 7]), torch.zeros(5, 2))
    Traceback (most recent call last):
    rowspace.errors.UsageError: id 7 at [1] is out of range for a table of 5 rows; check the tokenizer that made it, ...
    """
    require_ids(ids)
    if torch.compiler.is_compiling() or _is_asynchronous(ids):
        return functional.embedding(ids, table)
    if not ids.is_cpu:
        check_ids(ids, table.shape[0])
        return functional.embedding(ids, table)
    try:
        return functional.embedding(ids, table)
    except IndexError:
        check_ids(ids, table.shape[0])
        raise


def check_ids(ids: Tensor, num_embeddings: int) -> None:
    """Raise `UsageError` unless 0 <= id < num_embeddings for all ids, if they can be read.

    For modules that gather with other ids computed from these, so that the gather would name the wrong one.
    """
    require_ids(ids)
    if torch.compiler.is_compiling() or ids.is_meta or not ids.numel():
        return
    ids = torch.func.debug_unwrap(ids)  # inside vmap: the whole batch
    if _is_asynchronous(ids):
        assert_on_device(((ids >= 0) & (ids < num_embeddings)).all(), f"an id {_out_of_range(num_embeddings)}")
        return
    lowest, highest = torch.stack(torch.aminmax(ids)).tolist()
    if lowest < 0 or highest >= num_embeddings:
        raise UsageError(_sentence(ids, num_embeddings))


def require_ids(ids: Tensor) -> None:
    """Raise `UsageError` unless `ids` is an int64 or int32 tensor.

    >>> require_ids([3, 1])
    Traceback (most recent call last):
    rowspace.errors.UsageError: ids must be a tensor, not a list; convert them with torch.tensor(ids)
    """
    require_tensor(ids, "ids")
    if ids.dtype not in (torch.int64, torch.int32):
        raise UsageError(f"ids must be int64 or int32, not {ids.dtype}; convert them with ids.long()")


def require_tensor(value: object, name: str) -> None:
    """Raise `UsageError` unless `value` is a tensor."""
    if not isinstance(value, Tensor):
        kind = type(value)
        known = "NumPy array" if kind.__module__ == "numpy" and hasattr(value, "dtype") else kind.__name__
        make = "torch.from_numpy" if kind.__name__ == "ndarray" else "torch.tensor"
        article = "an" if known[0] in "aeiou" else "a"
        raise UsageError(f"{name} must be a tensor, not {article} {known}; convert them with {make}({name})")


def _is_asynchronous(ids: Tensor) -> bool:
    """Whether the ids are on a GPU, for which the host does not wait."""
    return ids.is_cuda and os.environ.get("CUDA_LAUNCH_BLOCKING", "0") in ("", "0")


def _sentence(ids: Tensor, num_embeddings: int) -> str:
    """The message for the first id out of range, with its position."""
    place = ((ids < 0) | (ids >= num_embeddings)).nonzero()[0].tolist()
    where = f" at {place}" if place else ""
    return f"id {int(ids[tuple(place)])}{where} {_out_of_range(num_embeddings)}"


def _out_of_range(num_embeddings: int) -> str:
    return (
        f"is out of range for a table of {num_embeddings} rows; "
        "check the tokenizer that made it, or make the table larger"
    )
