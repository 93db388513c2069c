"""More or fewer rows in a table that a model has: `resize`, `extend`, `shrink`.

The parameter stays the same object and gets other memory, so that ties, optimizers and names keep it.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, cast

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.head.base_head import Head
from rowspace.layers.head.wrapping import readers
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.tables.adapters.lora import require_loaded
from rowspace.layers.tables.init import Init, init_rows_
from rowspace.layers.tables.mapped import MappedEmbedding

__all__ = ["extend", "resize", "shrink"]

NewRows = Init | Literal["mean"]
Undeferred = Callable[[list[nn.Parameter]], contextlib.AbstractContextManager[None]]

NOISE = 0.01  # of new rows, in standard deviations of the columns
_ROWS_AT_ONCE = 512  # in the cache: 4 times as fast as 8,192


def resize(
    module: nn.Module,
    num_embeddings: int,
    *,
    heads: Iterable[nn.Module] = (),
    optimizer: torch.optim.Optimizer | None = None,
    init: NewRows = "mean",
    generator: torch.Generator | None = None,
) -> None:
    """Give a table another number of rows; those that it keeps are bit-identical.

    The weight stays the same parameter, so a tied head and an optimizer keep it. Its gradient is dropped. The biases of
    tied heads get zeros for new rows.

    Args:
        module: `TokenEmbedding`, `nn.Embedding`, `LearnedPosition`, `UntiedHead` or `nn.Linear`.
        num_embeddings: The number of rows afterwards; of a `LearnedPosition`, of positions.
        heads: Heads with as many rows as the table, which are resized too: `UntiedHead`, or an `nn.Linear`, tied or
            not. Those of the class `TiedHead` are found.
        optimizer: Of torch or of `rowspace.optim`, whose state is resized too; it begins anew for new rows.
        init: New rows: "mean", the mean of the old ones plus noise of a hundredth of their standard deviation, so that
            no two are equal, or as in `init_rows_`.
        generator: Random generator; by default PyTorch's.

    Raises:
        UsageError: For another kind of module, a table of another deferred optimizer, a number below 1, a padding row
            that would be lost, or a head with another number of rows; nothing is changed then.

    Source: of the mean, Hewitt 2021, "Initializing new word embeddings for pretrained language models".

    >>> table = nn.Embedding(10, 4)
    >>> resize(table, 12)
    >>> table.weight.shape, table.num_embeddings
    (torch.Size([12, 4]), 12)
    """
    offset = module.offset if isinstance(module, LearnedPosition) else 0
    if num_embeddings < 1:
        raise UsageError(f"num_embeddings must be at least 1, not {num_embeddings}")
    _resize(module, num_embeddings + offset, None, heads, optimizer, init, generator)


def extend(
    module: nn.Module,
    count: int,
    *,
    heads: Iterable[nn.Module] = (),
    optimizer: torch.optim.Optimizer | None = None,
    init: NewRows = "mean",
    generator: torch.Generator | None = None,
) -> range:
    """Append rows to a table, as `resize` does.

    Args:
        module: As in `resize`.
        count: The number of new rows.
        heads: As in `resize`.
        optimizer: As in `resize`.
        init: As in `resize`.
        generator: As in `resize`.

    Returns:
        The ids of the new rows.

    Raises:
        UsageError: As in `resize`, and for a count below 1.

    >>> table = nn.Embedding(10, 4)
    >>> extend(table, 2), table.weight.shape
    (range(10, 12), torch.Size([12, 4]))
    """
    if count < 1:
        raise UsageError(f"count must be at least 1, not {count}")
    rows = len(_weight(module))
    _resize(module, rows + count, None, heads, optimizer, init, generator)
    offset = module.offset if isinstance(module, LearnedPosition) else 0
    return range(rows - offset, rows - offset + count)


def shrink(
    module: nn.Module,
    ids: Sequence[int] | Tensor,
    *,
    heads: Iterable[nn.Module] = (),
    optimizer: torch.optim.Optimizer | None = None,
) -> None:
    """Keep only the rows of some ids, in their order: the first of `ids` becomes id 0.

    A table, a bias and the state of an optimizer lose the other rows; renumber the tokenizer in the same way.

    Args:
        module: As in `resize`, but no `LearnedPosition`.
        ids: (n,) ids to keep, each once.
        heads: As in `resize`.
        optimizer: As in `resize`.

    Raises:
        UsageError: As in `resize`, and for ids that are out of range, repeated or missing.

    >>> table = nn.Embedding.from_pretrained(torch.tensor([[0.0], [1.0], [2.0]]))
    >>> shrink(table, [2, 0])
    >>> table.weight.flatten()
    tensor([2., 0.])
    """
    if isinstance(module, LearnedPosition):
        raise UsageError("positions cannot be picked; use resize to keep the first ones")
    kept = torch.as_tensor(ids).reshape(-1)
    rows = len(_weight(module))
    if not len(kept) or kept.is_floating_point() or kept.dtype == torch.bool or kept.min() < 0 or kept.max() >= rows:
        raise UsageError(f"ids must be integers from 0 to {rows - 1}, at least one; got {str(ids)[:80]}")
    kept = kept.long()
    if len(kept.unique()) < len(kept):
        raise UsageError("each id may be kept only once, but some are repeated")
    _resize(module, len(kept), kept, heads, optimizer, "mean", None)


def _resize(
    module: nn.Module,
    rows: int,
    kept: Tensor | None,
    heads: Iterable[nn.Module],
    optimizer: torch.optim.Optimizer | None,
    init: NewRows,
    generator: torch.Generator | None,
) -> None:
    """Check everything first, then change the weights, the biases and the state of the optimizer."""
    before = len(_weight(module))
    tied = [head for head in readers if isinstance(head, Head) and head.embedding is module]
    modules = list(dict.fromkeys([module, *heads, *tied]))
    _check_heads(modules[1:], before)
    padding = _new_padding(module, rows, kept)
    parameters = list(_parameters(modules))
    for parameter in parameters:
        _check_parameter(parameter, optimizer)
    with _plain(parameters, optimizer):
        for parameter in parameters:
            start = None if parameter.dim() == 1 else init
            parameter.grad = None
            _set_rows(parameter, _resized(parameter.detach(), rows, kept, start, generator))
            if optimizer is not None and parameter in optimizer.state:
                _resize_state(optimizer.state[parameter], before, rows, kept, _first_sum(parameter, optimizer))
    for each in modules:
        _set_sizes(each, rows)
    if padding is not None:
        cast(Any, module).padding_idx = padding


def _set_rows(parameter: nn.Parameter, values: Tensor) -> None:
    """Give a parameter other values, of another size.

    As long as a graph of the last step exists, for example that of a loss, torch expects gradients of the old size; it
    forgets this with another dtype.
    """
    other = torch.float32 if values.dtype == torch.float64 else torch.float64
    parameter.data = values.new_empty(0, dtype=other)
    parameter.data = values


def _weight(module: nn.Module) -> Tensor:
    kinds = (nn.Embedding, LearnedPosition, nn.Linear)
    weight: Any = getattr(module, "weight", None)
    if isinstance(module, MappedEmbedding):
        raise UsageError(f"the rows of the table are in {module.path}; make a new file with MappedEmbedding.create")
    if isinstance(module, kinds) or (isinstance(module, Head) and isinstance(weight, nn.Parameter)):
        return cast(Tensor, weight)
    raise UsageError(
        f"a {type(module).__name__} cannot be resized; pass a TokenEmbedding, an nn.Embedding, a LearnedPosition, an "
        "UntiedHead or an nn.Linear"
    )


def _check_heads(heads: list[nn.Module], rows: int) -> None:
    for head in heads:
        found = cast(Tensor, head.weight)
        if not isinstance(head, nn.Linear | Head) or len(found) != rows:
            raise UsageError(
                f"a {type(head).__name__} with {len(found)} rows is not a head of a table with {rows} rows"
            )


def _new_padding(module: nn.Module, rows: int, kept: Tensor | None) -> int | None:
    padding: int | None = getattr(module, "padding_idx", None)
    if padding is None:
        return None
    places = [padding] if kept is None else (kept == padding).nonzero().flatten().tolist()
    if not places or places[0] >= rows:
        raise UsageError(f"the padding row {padding} would be lost; keep it, or set padding_idx = None first")
    return int(places[0])


def _parameters(modules: list[nn.Module]) -> Iterator[nn.Parameter]:
    """Weights and biases, each once."""
    found = [getattr(each, name, None) for each in modules for name in ("weight", "bias")]
    yield from dict.fromkeys(each for each in found if isinstance(each, nn.Parameter))


def _check_parameter(parameter: nn.Parameter, optimizer: torch.optim.Optimizer | None) -> None:
    is_own = optimizer is not None and _group_of(parameter, optimizer) is not None
    if type(parameter) is not nn.Parameter and not (is_own and hasattr(optimizer, "undeferred")):
        raise UsageError(
            f"the table of shape {list(parameter.shape)} is a {type(parameter).__name__}; pass its deferred optimizer, "
            "or resize it before it is distributed"
        )
    require_loaded(parameter)
    if optimizer is not None and parameter.requires_grad and not is_own:
        raise UsageError(
            f"the parameter of shape {list(parameter.shape)} is not one of the optimizer; pass the optimizer of this "
            "model, or freeze the parameter"
        )


def _group_of(parameter: nn.Parameter, optimizer: torch.optim.Optimizer) -> dict[str, Any] | None:
    """The group of the optimizer that has the parameter."""
    groups = optimizer.param_groups
    return next((group for group in groups if any(parameter is each for each in group["params"])), None)


def _first_sum(parameter: nn.Parameter, optimizer: torch.optim.Optimizer) -> float:
    """What Adagrad's sums of squares start with."""
    return float((_group_of(parameter, optimizer) or {}).get("initial_accumulator_value", 0.0))


def _plain(
    parameters: list[nn.Parameter], optimizer: torch.optim.Optimizer | None
) -> contextlib.AbstractContextManager[None]:
    """A block in which tables of a deferred optimizer, of a package above this one, are plain parameters."""
    undeferred: Undeferred | None = getattr(optimizer, "undeferred", None)
    return contextlib.nullcontext() if undeferred is None else undeferred(parameters)


@torch.no_grad()
def _resized(
    values: Tensor, rows: int, kept: Tensor | None, init: NewRows | None, generator: torch.Generator | None
) -> Tensor:
    """The values (V, ...) with `rows` rows; new ones are zero without `init`."""
    result = values.new_empty(rows, *values.shape[1:])
    if kept is not None:
        torch.index_select(values, 0, kept.to(values.device), out=result)
        return result
    old = min(rows, len(values))
    result[:old] = values[:old]
    added = result[old:]
    if init is None:
        added.zero_()
    elif init == "mean" and len(added):
        mean, deviation = _moments(values)
        noise = torch.randn(added.shape, generator=generator, device=values.device, dtype=mean.dtype)
        added.copy_(mean + NOISE * deviation * noise)
    elif len(added):
        init_rows_(added, cast(Init, init), generator=generator)
    return result


def _moments(values: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of the columns (d,), read in blocks, in float32 at least."""
    wide = torch.promote_types(values.dtype, torch.float32)
    mean = sum(block.to(wide).sum(0) for block in values.split(_ROWS_AT_ONCE)) / len(values)
    squares = sum((block.to(wide) - mean).square_().sum(0) for block in values.split(_ROWS_AT_ONCE))
    return mean, (squares / len(values)).sqrt()


def _resize_state(state: dict[str, Any], before: int, rows: int, kept: Tensor | None, first_sum: float) -> None:
    """Resize the tensors of an optimizer's state that have a number or a row for each row."""
    for name, value in state.items():
        if isinstance(value, Tensor) and value.dim() and len(value) == before:
            state[name] = _resized(value, rows, kept, None, None)
            if name == "sum":
                state[name][before:] = first_sum


def _set_sizes(module: Any, rows: int) -> None:
    if isinstance(module, nn.Embedding):
        module.num_embeddings = rows
    elif isinstance(module, LearnedPosition):
        module.max_positions = rows - module.offset
    elif isinstance(module, nn.Linear):
        module.out_features = rows
