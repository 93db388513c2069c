"""Ids → rows of a table, with a deterministic gradient summed in float32: `lookup`.

Two linear maps, each the transpose and thus the derivative of the other: `_Rows` reads rows (H @ E, where H is the
one-hot matrix of the ids), `_Sums` sums the gradients of each row (Hᵀ @ G).
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers._torch_private import is_batched, is_transform_active
from rowspace.layers.arguments import row_index
from rowspace.layers.tables.distributed_lookup import (
    first_row_of,
    is_distributed,
    is_replicated,
    local_part,
    local_tensor,
    placed_as,
    rows_from_parts,
    zero_row,
)
from rowspace.layers.tables.gather import check_ids, gather_rows


def lookup(ids: Tensor, weight: Tensor, *, padding_idx: int | None = None, sparse: bool = False) -> Tensor:
    """Look up rows of a table by id.

    The gradient of a row is summed in float32 for every dtype (in float64 for float64), in the order of the ids, and
    rounded once, to nearest: it is the same on each run and with any number of threads.
    `torch.nn.functional.embedding` sums in the dtype of `weight`: the sum of 4096 ones in one bfloat16 row is 256 there
    and 4096 here.

    Supports derivatives of any order, backward and forward, and `vmap` over the ids, the table or both. In a compiled
    model: derivatives backward, and transforms of `torch.func` that contain both `grad` and `vmap`. With `sparse`, only
    first derivatives compile, and the gradient is dense for each table or example of a `vmap`, and in transforms of
    `torch.func` in a compiled model.

    Args:
        ids: (...) int64 or int32.
        weight: (V, d) floating.
        padding_idx: Row whose gradient is zero; negative values count from the end.
        sparse: Return the gradient as a sparse tensor of the rows used, which is coalesced except in a compiled model.

    Returns:
        (..., d) in the dtype of `weight`.

    Raises:
        UsageError: For an id out of range, with its position, another dtype of `ids`, or a `padding_idx` out of range.

    >>> weight = torch.zeros(6, 3, requires_grad=True)
    >>> lookup(torch.tensor([2, 2, 5]), weight).sum().backward()
    >>> weight.grad[:, 0]
    tensor([0., 0., 2., 0., 0., 1.])
    """
    function: type[torch.autograd.Function]
    padding_idx = row_index(padding_idx, weight.shape[0])
    if is_distributed(weight):
        _check_distributed(ids, weight, sparse=sparse)
        if is_replicated(ids):
            return _rows_of_parts(ids, weight, padding_idx)
        function = _DistributedRows
    elif torch.compiler.is_compiling():
        if sparse and not (torch.compiler.is_exporting() or is_transform_active()):
            in_graph: Tensor = _rows_in_graph(ids, weight, -1 if padding_idx is None else padding_idx)
            return in_graph
        function, sparse = _Rows, False
    elif _needs_gradient(weight):
        function = _RowsForward
    else:
        return gather_rows(ids, weight)
    rows: Tensor = function.apply(ids, weight, padding_idx, sparse)
    return rows


def row_sums(ids: Tensor, grad: Tensor, num_embeddings: int, *, padding_idx: int | None = None) -> Tensor:
    """The transpose of `lookup`: `grad` (..., d) summed by `ids` (...), as (V, d); row `padding_idx` is zero.

    >>> row_sums(torch.tensor([2, 2, 5]), torch.ones(3, 1), 6).T
    tensor([[0., 0., 2., 0., 0., 1.]])
    """
    function = _Sums if torch.compiler.is_compiling() else _SumsForward
    sums: Tensor = function.apply(ids, grad, num_embeddings, padding_idx)
    return sums


class _Rows(torch.autograd.Function):
    """Row `ids[i]` of the table, for each i."""

    @staticmethod
    def forward(ids: Tensor, weight: Tensor, padding_idx: int | None, sparse: bool) -> Tensor:
        """(...), (V, d) → (..., d)."""
        return gather_rows(ids, weight)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, int | None, bool], output: Tensor) -> None:
        """Save the ids; the rows are not needed in backward."""
        ids, weight, ctx.padding_idx, ctx.sparse = inputs
        ctx.num_embeddings = weight.shape[0]
        ctx.save_for_backward(ids)
        ctx.save_for_forward(ids)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor, None, None]:
        """Sum the gradients of each row."""
        (ids,) = ctx.saved_tensors
        if ctx.sparse and not (is_batched(ids) or is_batched(grad)):
            return None, sparse_sums(ids, grad, ctx.num_embeddings, ctx.padding_idx), None, None
        return None, row_sums(ids, grad, ctx.num_embeddings, padding_idx=ctx.padding_idx), None, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *inputs: Any) -> tuple[Tensor, int]:
        """Concatenate the tables to one, in which the ids of table b are offset by b·V."""
        ids, weight, padding_idx, sparse = inputs
        ids = _batch_first(ids, in_dims[0], info.batch_size)
        if in_dims[1] is None:
            return lookup(ids, weight, padding_idx=padding_idx, sparse=sparse), 0
        weight = weight.movedim(in_dims[1], 0)  # (B, V, d)
        check_ids(ids, weight.shape[1])
        rows = lookup(_offset(ids, weight.shape[1]), weight.flatten(0, 1))  # torch cannot reshape a sparse gradient
        if padding_idx is not None:  # one row of each table, detached here
            rows = torch.where((ids == padding_idx).unsqueeze(-1), rows.detach(), rows)
        return rows, 0


@torch.library.custom_op("rowspace::sparse_rows", mutates_args=())
def _rows_in_graph(ids: Tensor, weight: Tensor, padding_idx: int) -> Tensor:
    """Row `ids[i]` of the table; the sparse gradient of `_Rows` could not be traced by torch.compile."""
    return gather_rows(ids, weight)


@_rows_in_graph.register_fake
def _(ids: Tensor, weight: Tensor, padding_idx: int) -> Tensor:
    return weight.new_empty(*ids.shape, weight.shape[1])


def _setup_graph(ctx: Any, inputs: tuple[Tensor, Tensor, int], output: Tensor) -> None:
    ids, weight, ctx.padding_idx = inputs
    ctx.shape = weight.shape
    ctx.save_for_backward(ids)


def _differentiate_graph(ctx: Any, grad: Tensor) -> tuple[None, Tensor, None]:
    """A graph cannot hold as many rows as there are distinct ids: all but the first row of an id are zero."""
    ids = ctx.saved_tensors[0].reshape(-1).long()
    sums = _sums_at_first(ids, grad.reshape(-1, ctx.shape[1]), ctx.padding_idx)
    return None, torch.sparse_coo_tensor(ids[None], sums, ctx.shape, check_invariants=False), None


_rows_in_graph.register_autograd(_differentiate_graph, setup_context=_setup_graph)


@torch.library.custom_op("rowspace::sums_at_first", mutates_args=())
def _sums_at_first(ids: Tensor, grad: Tensor, padding_idx: int) -> Tensor:
    """Ids (N,), (N, d) → (N, d): the sum of the rows of an id where it comes first, else zero, as for the padding."""
    ids, order = _sorted(ids, padding_idx)
    _, counts = torch.unique_consecutive(ids, return_counts=True)
    starts = counts.cumsum(0) - counts
    result = torch.zeros_like(grad, memory_format=torch.contiguous_format)
    result[order[starts]] = functional.embedding_bag(order, grad, starts, mode="sum")
    return result


@_sums_at_first.register_fake
def _(ids: Tensor, grad: Tensor, padding_idx: int) -> Tensor:
    return torch.empty_like(grad, memory_format=torch.contiguous_format)


class _Sums(torch.autograd.Function):
    """Row v of the result is the sum of `grad[i]` over all i with `ids[i] == v`."""

    @staticmethod
    def forward(ids: Tensor, grad: Tensor, num_embeddings: int, padding_idx: int | None) -> Tensor:
        """(...), (..., d) → (V, d)."""
        # Dropping the padding needs its count, for which the host would have to wait on other devices and which a graph
        # does not have: there the row is cleared below.
        ids, order = _sorted(ids, padding_idx if ids.is_cpu and not torch.compiler.is_compiling() else None)
        starts = torch.searchsorted(ids, torch.arange(num_embeddings, dtype=ids.dtype, device=ids.device))
        # embedding_bag sums a bag in float32 before it rounds; a row without gradients is an empty bag.
        sums = functional.embedding_bag(order, grad.reshape(-1, grad.shape[-1]), starts, mode="sum")
        if padding_idx is not None:
            sums[padding_idx] = 0
        return sums

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, int, int | None], output: Tensor) -> None:
        """Save the ids, which is all that the transpose needs."""
        ids, _, ctx.num_embeddings, ctx.padding_idx = inputs
        ctx.save_for_backward(ids)
        ctx.save_for_forward(ids)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor, None, None]:
        """The transpose of the transpose: read the rows, with zeros for the padding row, which was dropped."""
        (ids,) = ctx.saved_tensors
        rows = lookup(ids, grad)
        if ctx.padding_idx is not None:
            rows = rows.masked_fill((ids == ctx.padding_idx).unsqueeze(-1), 0)
        return None, rows, None, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *inputs: Any) -> tuple[Tensor, int]:
        """Sum into one concatenated table and split it: the gradients of all examples of a batch in one call."""
        ids, grad, num_embeddings, padding_idx = inputs
        ids = _offset(_batch_first(ids, in_dims[0], info.batch_size), num_embeddings)
        grad = _batch_first(grad, in_dims[1], info.batch_size)
        sums = row_sums(ids, grad, info.batch_size * num_embeddings).reshape(
            info.batch_size, num_embeddings, -1
        )  # (B, V, d)
        if padding_idx is not None:
            sums = sums.index_fill(1, torch.tensor(padding_idx, device=sums.device), 0)
        return sums, 0


class _RowsForward(_Rows):
    """With the forward derivative: a separate class, since torch.compile does not support functions that have one."""

    @staticmethod
    def jvp(ctx: Any, _: None, weight: Tensor, *__: None) -> Tensor:
        """Linear: the rows of the tangent."""
        (ids,) = ctx.saved_tensors
        return lookup(ids, weight)


class _SumsForward(_Sums):
    """With the forward derivative, for the same reason."""

    @staticmethod
    def jvp(ctx: Any, _: None, grad: Tensor, *__: None) -> Tensor:
        """Linear: the sums of the tangent."""
        (ids,) = ctx.saved_tensors
        return row_sums(ids, grad, ctx.num_embeddings, padding_idx=ctx.padding_idx)


def _check_distributed(ids: Tensor, weight: Tensor, *, sparse: bool) -> None:
    if sparse:
        raise UsageError("a distributed table has no sparse gradient; build it with sparse=False")
    if not is_distributed(ids):
        raise UsageError(
            f"the table of shape {list(weight.shape)} is distributed over processes (a DTensor) and the ids are not; "
            "split it by rowspace.layers.vocabulary_parallel or torch's parallelize_module, and call modules that "
            "fully_shard has sharded by the forward of their model"
        )


def _rows_of_parts(ids: Tensor, weight: Tensor, padding_idx: int | None) -> Tensor:
    """Rows of a distributed table (`DTensor`) at ids that are the same in all processes.

    Each process reads its part, in operations that torch.compile can trace: zeros for the rows of others, which the sum
    over the processes completes, or its columns.
    """
    numbers, local, first = local_tensor(ids), local_tensor(weight), first_row_of(weight)
    check_ids(numbers, weight.shape[0])
    places = numbers - first
    is_local = (places >= 0) & (places < local.shape[0])
    if padding_idx is not None:
        padding_idx = padding_idx - first if 0 <= padding_idx - first < local.shape[0] else None
    if local.numel():
        rows = lookup(torch.where(is_local, places, 0), local, padding_idx=padding_idx)
        rows = torch.where(is_local.unsqueeze(-1), rows, 0)
    else:
        rows = local.sum() + local.new_zeros(*ids.shape, local.shape[1])
    return rows_from_parts(rows, ids, weight)


class _DistributedRows(torch.autograd.Function):
    """Row `ids[i]` of a distributed table (`DTensor`), for ids that are sharded too; first derivatives only."""

    @staticmethod
    def forward(ctx: Any, ids: Any, weight: Any, padding_idx: int | None, sparse: bool) -> Tensor:
        """(...), (V, d) → (..., d)."""
        check_ids(ids.to_local(), len(weight))
        ctx.save_for_backward(ids, weight)
        ctx.padding_idx = padding_idx
        return functional.embedding(ids, weight)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Any) -> tuple[None, Tensor, None, None]:
        """Each process sums the gradients of its shard of the table."""
        ids, weight = ctx.saved_tensors
        local_ids, local_grad = local_part(ids, grad, weight)
        sums = placed_as(row_sums(local_ids, local_grad, len(weight.to_local())), weight)
        if ctx.padding_idx is not None:
            zero_row(sums, ctx.padding_idx)
        return None, sums, None, None


def _needs_gradient(weight: Tensor) -> bool:
    """Whether a derivative may be needed; if not, the lookup of a single id takes a quarter of the time."""
    return (weight.requires_grad and torch.is_grad_enabled()) or is_transform_active()


def sparse_sums(ids: Tensor, grad: Tensor, num_embeddings: int, padding_idx: int | None) -> Tensor:
    """(...), (..., d) → (V, d) sparse and coalesced: only the rows of `ids`."""
    ids, order = _sorted(ids, padding_idx)
    rows, counts = torch.unique_consecutive(ids, return_counts=True)
    sums = functional.embedding_bag(order, grad.reshape(-1, grad.shape[-1]), counts.cumsum(0) - counts, mode="sum")
    size = (num_embeddings, grad.shape[-1])
    return torch.sparse_coo_tensor(rows.long()[None], sums, size, is_coalesced=True, check_invariants=False)


def _sorted(ids: Tensor, padding_idx: int | None) -> tuple[Tensor, Tensor]:
    """The ids sorted stably, without the padding, and the original position of each."""
    ids, order = torch.sort(ids.reshape(-1), stable=True)
    if padding_idx is None:
        return ids, order
    is_token = ids != padding_idx
    return ids[is_token], order[is_token]


def _batch_first(tensor: Tensor, dim: int | None, batch_size: int) -> Tensor:
    """Move the batch dimension of vmap to the front; expand a tensor that has none."""
    return tensor.expand(batch_size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)


def _offset(ids: Tensor, num_embeddings: int) -> Tensor:
    """Ids (B, ...) of B tables as ids of the concatenated table."""
    first = torch.arange(len(ids), device=ids.device) * num_embeddings
    return ids + first.reshape(-1, *[1] * (ids.dim() - 1))  # int64 for int32 ids too
