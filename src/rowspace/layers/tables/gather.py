"""Ids out of range: found at almost no cost, and named. `gather_rows` reads rows, `check_ids` only checks.

- On CPU a `UsageError` names the id and its position at no extra cost: the gather checks each id anyway.
- On other devices this takes one reduction over the ids; the host waits for its two numbers.
- In a graph (`torch.compile`, `torch.export`, a CUDA graph being captured) the host cannot wait for a value, so torch's
  own check applies: `RuntimeError` or `IndexError` on CPU, elsewhere a device assertion.
"""

import torch
from torch import Tensor
from torch.nn import functional

from rowspace.errors import UsageError


def gather_rows(ids: Tensor, table: Tensor) -> Tensor:
    """The rows of `table` (V, d) at `ids` (...), as (..., d); a `UsageError` names an id out of range.

    >>> gather_rows(torch.tensor([0, 7]), torch.zeros(5, 2))
    Traceback (most recent call last):
    rowspace.errors.UsageError: id 7 at [1] is out of range for a table of 5 rows; check the tokenizer that made it, ...
    """
    require_ids(ids)
    if not ids.is_cpu:
        check_ids(ids, table.shape[0])
        return functional.embedding(ids, table)
    if torch.compiler.is_compiling():
        return functional.embedding(ids, table)
    try:
        return functional.embedding(ids, table)
    except IndexError:
        check_ids(ids, table.shape[0])
        raise


def check_ids(ids: Tensor, num_embeddings: int) -> None:
    """Raise `UsageError` unless 0 <= id < num_embeddings for all ids, where they can be looked at.

    For modules that make other ids of theirs, so that the gather would name the wrong one.
    """
    require_ids(ids)
    if _hidden(ids) or not ids.numel():
        return
    while torch._C._functorch.is_functorch_wrapped_tensor(ids):  # inside vmap: all of the batch at once
        ids = torch._C._functorch.get_unwrapped(ids)
    lowest, highest = torch.stack(torch.aminmax(ids)).tolist()
    if lowest < 0 or highest >= num_embeddings:
        raise UsageError(_sentence(ids, num_embeddings))


def require_ids(ids: Tensor) -> None:
    """Raise `UsageError` unless `ids` is a tensor of one of the two dtypes that torch gathers with.

    >>> require_ids([3, 1])
    Traceback (most recent call last):
    rowspace.errors.UsageError: ids must be a tensor, not a list; convert them with torch.tensor(ids)
    """
    require_tensor(ids, "ids")
    if ids.dtype not in (torch.int64, torch.int32):
        raise UsageError(f"ids must be int64 or int32, not {ids.dtype}; convert them with ids.long()")


def require_tensor(value: object, name: str) -> None:
    """Raise `UsageError` for an array, a list or a number where a tensor is expected."""
    if not isinstance(value, Tensor):
        kind = type(value)
        known = "NumPy array" if kind.__module__ == "numpy" and hasattr(value, "dtype") else kind.__name__
        make = "torch.from_numpy" if kind.__name__ == "ndarray" else "torch.tensor"
        article = "an" if known[0] in "aeiou" else "a"
        raise UsageError(f"{name} must be a tensor, not {article} {known}; convert them with {make}({name})")


def _hidden(ids: Tensor) -> bool:
    """Whether the ids have no values yet: a graph is being recorded, or they lie on the meta device."""
    captured = ids.is_cuda and torch.cuda.is_current_stream_capturing()
    return torch.compiler.is_compiling() or ids.is_meta or captured


def _sentence(ids: Tensor, num_embeddings: int) -> str:
    """Name the first id out of range, and where it stands."""
    place = ((ids < 0) | (ids >= num_embeddings)).nonzero()[0].tolist()
    where = f" at {place}" if place else ""
    return (
        f"id {int(ids[tuple(place)])}{where} is out of range for a table of {num_embeddings} rows; "
        "check the tokenizer that made it, or make the table larger"
    )
