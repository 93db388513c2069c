"""The input of BERT, the normalized sum of three rows per token, in one pass over memory: `fused_input`.

Separate operations read and write (batch, seq, d) numbers four times forward and four times backward, in new memory
whose pages the system must first allocate and clear. Here there is one pass forward; backward, one that also sums the
gradients of positions and segments, and one that sums those of words. Only the mean and scale of each row are saved for
the backward pass.

This applies to float32 on a CPU. Everything else, and calls inside `torch.func`, are computed with separate operations
(`by_parts`), with the same result to within 1e-6.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from rowspace._base.parallel import map_ranges, split_range
from rowspace.layers._torch_private import is_transform_active
from rowspace.layers.inputs._memory_pool import lazy_zeros, pooled_empty
from rowspace.layers.inputs.kernels import backward_rows, forward_rows, sum_rows
from rowspace.layers.tables.gather import check_ids
from rowspace.layers.tables.lookup import lookup, sparse_sums

__all__ = ["by_parts", "fused_input"]

SMALL = 1 << 16  # numbers; below that a second thread does not pay off
PIECES = 8  # per thread, so that other threads can take over the work of a slow one
FEW = 64  # largest second table, since each piece of work has its own sum of the gradient


def fused_input(
    ids: tuple[Tensor, Tensor, Tensor],
    tables: tuple[Tensor, Tensor, Tensor],
    weight: Tensor,
    bias: Tensor,
    *,
    eps: float,
    padding_idx: int | None = None,
    position_padding_idx: int | None = None,
    sparse: bool = False,
) -> Tensor:
    """LayerNorm of `tables[0][ids[0]] + tables[1][ids[1]] + tables[2][ids[2]]`: (..., d) for ids (...), int64.

    Tables are summed in this order: words, segments (few rows), positions. Row `padding_idx` of the first table and row
    `position_padding_idx` of the third get no gradient. With `sparse`, the gradient of the first table is sparse and
    coalesced, as that of `lookup`. Raises `UsageError` for an id out of range.

    >>> tables = torch.eye(3), torch.zeros(1, 3), torch.zeros(2, 3)
    >>> ids = torch.tensor([[0, 2]]), torch.tensor([[0, 0]]), torch.tensor([[0, 1]])
    >>> fused_input(ids, tables, torch.ones(3), torch.zeros(3), eps=1e-12)[0, 1]
    tensor([-0.7071, -0.7071,  1.4142])
    """
    if not _can_be_fused(ids, (*tables, weight, bias)):
        return by_parts(
            ids,
            tables,
            weight,
            bias,
            eps=eps,
            padding_idx=padding_idx,
            position_padding_idx=position_padding_idx,
            sparse=sparse,
        )
    for some, table in zip(ids, tables, strict=True):
        check_ids(some, len(table))
    paddings = [-1 if place is None else place for place in (padding_idx, position_padding_idx)]
    stacked = torch.stack([some.long() for some in ids])
    output: Tensor = _forward(stacked, list(tables), weight, bias, eps, paddings, sparse)[0]
    return output


def by_parts(
    ids: tuple[Tensor, ...],
    tables: tuple[Tensor, ...],
    weight: Tensor,
    bias: Tensor,
    *,
    eps: float,
    padding_idx: int | None = None,
    position_padding_idx: int | None = None,
    sparse: bool = False,
) -> Tensor:
    """The same with separate operations, for any dtype and device."""
    paddings = (padding_idx, None, position_padding_idx)
    first, second, third = (
        lookup(some, table, padding_idx=padding, sparse=sparse and table is tables[0])
        for some, table, padding in zip(ids, tables, paddings, strict=True)
    )
    return functional.layer_norm(first + second + third, weight.shape, weight, bias, eps)


@torch.library.custom_op("rowspace::fused_input", mutates_args=(), device_types="cpu")
def _forward(
    ids: Tensor, tables: list[Tensor], weight: Tensor, bias: Tensor, eps: float, paddings: list[int], sparse: bool
) -> tuple[Tensor, Tensor]:
    """Ids (3, ...) → rows (..., d), and the mean and scale of each row (2, N) for backward."""
    size, count = len(weight), ids[0].numel()
    output, mean_and_scale = pooled_empty(*ids.shape[1:], size), torch.empty(2, count)
    inputs = (_flat(ids), _arrays(*tables), _arrays(weight, bias), eps)
    results = _arrays(output.view(-1, size), mean_and_scale)
    pieces, threads = _split(count, size), torch.get_num_threads()
    map_ranges(lambda begin, end: forward_rows(*inputs, begin, end, *results), pieces, threads=threads)
    return output, mean_and_scale


@_forward.register_fake
def _(ids: Tensor, tables: list[Tensor], weight: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    return weight.new_empty(*ids.shape[1:], len(weight)), weight.new_empty(2, ids[0].numel())


@torch.library.custom_op("rowspace::fused_input_backward", mutates_args=(), device_types="cpu")
def _backward(
    grad: Tensor, ids: Tensor, tables: list[Tensor], weight: Tensor, mean_and_scale: Tensor, paddings: list[int],
    sparse: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """The gradients of the three tables, and of weight and bias (2, d); if `sparse`, of each word (N, d) first."""
    size, flat, rows = len(weight), _flat(ids), _arrays(*tables)
    order = np.argsort(flat[2], kind="stable")
    pieces = _align(_split(len(order), size), flat[2][order])
    of_positions = torch.zeros_like(tables[2])
    grad_input = pooled_empty(len(order), size)
    grad_outputs, grad_inputs, position_sums = _arrays(grad.reshape(-1, size), grad_input, of_positions)
    weights, row_statistics = _arrays(weight, mean_and_scale)

    def work(begin: int, end: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        of_norm, of_segments = np.zeros((2, size), np.float32), np.zeros(rows[1].shape, np.float32)
        sums = of_norm, of_segments, position_sums
        backward_rows(flat, rows, weights, row_statistics, order, begin, end, grad_outputs, grad_inputs, sums)
        return of_norm, of_segments

    of_norm, of_segments = zip(*map_ranges(work, pieces, threads=torch.get_num_threads()), strict=True)
    of_words = grad_input if sparse else _word_sums(flat[0], grad_inputs, rows[0].shape)
    for sums, padding in zip((None if sparse else of_words, of_positions), paddings, strict=True):
        if padding >= 0 and sums is not None:
            sums[padding] = 0
    return of_words, _total(of_segments), of_positions, _total(of_norm)


@_backward.register_fake
def _(grad: Tensor, ids: Tensor, tables: list[Tensor], weight: Tensor, *others: Any) -> tuple[Tensor, ...]:
    of_words = weight.new_empty(ids[0].numel(), len(weight)) if others[-1] else torch.empty_like(tables[0])
    return of_words, *(torch.empty_like(table) for table in tables[1:]), weight.new_empty(2, len(weight))


def _setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ids, tables, weight, _, _, ctx.paddings, ctx.sparse = inputs
    ctx.save_for_backward(ids, *tables, weight, output[1])
    ctx.mark_non_differentiable(output[1])


def _differentiate(ctx: Any, grad: Tensor, _: Any) -> tuple[Any, ...]:
    ids, *tables, weight, mean_and_scale = ctx.saved_tensors
    *of_tables, of_norm = _backward(grad, ids, tables, weight, mean_and_scale, ctx.paddings, ctx.sparse)
    if ctx.sparse:
        padding = None if ctx.paddings[0] < 0 else ctx.paddings[0]
        of_tables[0] = sparse_sums(ids[0], of_tables[0], len(tables[0]), padding)
    return None, of_tables, of_norm[0], of_norm[1], None, None, None


_forward.register_autograd(_differentiate, setup_context=_setup_context)


def _can_be_fused(ids: tuple[Tensor, ...], weights: tuple[Tensor, ...]) -> bool:
    """Whether the kernels apply: float32 on a CPU, few segments, one width, and no transform of torch.func."""
    on_cpu = all(tensor.device.type == "cpu" for tensor in (*ids, *weights))
    in_transform = not torch.compiler.is_compiling() and is_transform_active()
    is_float32 = {each.dtype for each in weights} == {torch.float32}
    is_one_width = all(each.shape[-1:] == weights[-1].shape for each in weights)
    return on_cpu and not in_transform and is_float32 and is_one_width and len(weights[1]) <= FEW


def _total(pieces: Sequence[NDArray[np.float32]]) -> Tensor:
    """The sum of the results of all pieces of work, rounded once."""
    return torch.from_numpy(np.sum(pieces, axis=0, dtype=np.float64).astype(np.float32))


def _word_sums(ids: NDArray[np.int64], grad_input: NDArray[np.float32], shape: tuple[int, ...]) -> Tensor:
    """Sum by word: each thread has a range of columns, so that no two threads write to the same number."""
    sums = lazy_zeros(*shape)
    (array,), order = _arrays(sums), np.argsort(ids, kind="stable")
    threads = torch.get_num_threads() if grad_input.size > SMALL else 1
    columns = split_range(grad_input.shape[1], pieces=threads)
    map_ranges(lambda begin, end: sum_rows(order, ids, begin, end, grad_input, array), columns, threads=threads)
    return sums


def _split(rows: int, size: int) -> list[tuple[int, int]]:
    """Split rows into pieces, or into one piece if there are few."""
    return split_range(rows, pieces=PIECES * torch.get_num_threads() if rows * size > SMALL else 1)


def _align(pieces: list[tuple[int, int]], ids: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Move edges of sorted ids back to the first occurrence of an id, so that equal ids are in one piece."""
    inner = (int(np.searchsorted(ids, ids[begin])) for begin, _ in pieces[1:])
    return list(pairwise([0, *inner, pieces[-1][1]]))


def _flat(ids: Tensor) -> tuple[NDArray[np.int64], ...]:
    return tuple(some.reshape(-1).numpy() for some in ids)


def _arrays(*tensors: Tensor) -> tuple[NDArray[np.float32], ...]:
    return tuple(tensor.detach().contiguous().numpy() for tensor in tensors)
