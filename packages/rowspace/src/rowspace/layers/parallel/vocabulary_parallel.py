"""Split the tables and heads of a model over processes by rows of the vocabulary: `vocabulary_parallel`."""

from typing import TYPE_CHECKING, Any, cast

from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.head.heads import TiedHead, UntiedHead
from rowspace.layers.tables.distributed_lookup import is_distributed
from rowspace.layers.tables.token_embedding import SegmentEmbedding, TokenEmbedding
from rowspace.layers.tables.wrapped import PartlyLearned, bare, is_wrapper

if TYPE_CHECKING:
    from torch.distributed.device_mesh import DeviceMesh

__all__ = ["vocabulary_parallel"]


def vocabulary_parallel(model: nn.Module, mesh: "DeviceMesh") -> nn.Module:
    """Split tables and heads by rows of the vocabulary: each process looks up, learns and saves its own rows only.

    Each `TokenEmbedding`, `TiedHead` and `UntiedHead` of the model is called as before. Ids, hidden states and targets
    must be the same in all processes of the mesh, and rows, logits and losses are the same there. Of a table of V rows
    each of n processes has ⌈V / n⌉ or fewer, and as many of the gradient and of the optimizer's state: the parameter is
    a `DTensor` with the placement `Shard(0)`.

    For N tokens and d columns, in float32, a lookup and `head.loss` send at most (2·N·d + 4·N) · 4 bytes and 288 more,
    for any V: the rows, the gradient of the hidden states, and for each token the largest logit, the sum of the
    exponentials, the target's logit, and with label smoothing the sum of the logits. `head(hidden)` collects the logits
    of all processes.

    Other parameters stay whole, also a `SegmentEmbedding`, and get the same gradient in all processes. Make the
    optimizer afterwards. For data parallelism use a mesh of two dimensions: call this function with one, and then
    `fully_shard` with the other one.

    Args:
        model: A model that is not distributed yet; also on the meta device. It is changed in place, and all processes
            get the rows that the first one has.
        mesh: One dimension of `torch.distributed.init_device_mesh`, over which the vocabulary is split.

    Returns:
        The model.

    Raises:
        UsageError: For a mesh of several dimensions; for a table that is distributed already, has sparse gradients, a
            constraint or an adapter, or too few rows; for a head on a table of another class; for a model without
            tables and heads. In forward: for a table that was sharded in another way since, and for ids, hidden states
            or targets that differ between the processes.

    Source: Megatron-LM (Shoeybi et al., 2019), section 3; chunks of logits as in `cross_entropy`.

    >>> import torch
    >>> from torch import distributed
    >>> distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    >>> table = TokenEmbedding(10, 4)
    >>> model = nn.ModuleDict({"tokens": table, "head": TiedHead(table)})
    >>> model = vocabulary_parallel(model, distributed.init_device_mesh("cpu", (1,)))
    >>> ids = torch.tensor([[3, 1, 3]])
    >>> loss = model["head"].loss(model["tokens"](ids), ids)
    >>> loss.backward()
    >>> model["tokens"].weight.grad.placements
    (Shard(dim=0),)
    >>> distributed.destroy_process_group()
    """
    from rowspace.layers.parallel.shards import VocabularyShards  # imports torch.distributed.tensor, which is slow

    _check_mesh(mesh)
    _check_adapters(model)
    found = [(name or type(part).__name__, part) for name, part in model.named_modules() if _is_split(part)]
    if not found:
        raise UsageError(
            f"{type(model).__name__} has no TokenEmbedding, TiedHead or UntiedHead; build its table and its head from "
            "these, as by TokenEmbedding.from_pretrained(weight, freeze=False)"
        )
    for name, part in found:
        _check(name, part, model, mesh.size())
    shards = VocabularyShards.of(mesh)
    split: dict[nn.Parameter, nn.Parameter] = {}  # two modules may share one
    for _, part in found:
        if isinstance(part, TokenEmbedding):
            part.row_reader = shards
        else:
            part.shards = shards
        for key, parameter in list(part.named_parameters(recurse=False)):
            if parameter not in split:
                split[parameter] = _distributed(parameter, mesh)
            part.register_parameter(key, split[parameter])
    return model


def _is_split(module: nn.Module) -> bool:
    return isinstance(module, TokenEmbedding | TiedHead | UntiedHead) and not isinstance(module, SegmentEmbedding)


def _check_mesh(mesh: Any) -> None:
    """Raise `UsageError` unless `mesh` is a `DeviceMesh` of one dimension that contains this process."""
    from torch.distributed.device_mesh import DeviceMesh

    if not isinstance(mesh, DeviceMesh):
        raise UsageError(
            f"mesh must be a DeviceMesh, not {mesh!r}; make one by torch.distributed.init_device_mesh('cuda', (8,))"
        )
    if mesh.ndim != 1:
        names = mesh.mesh_dim_names
        example = f"mesh[{names[-1]!r}]" if names else "one with mesh_dim_names and pass mesh['vocabulary']"
        raise UsageError(
            f"mesh must have one dimension, over which the vocabulary is split, not the shape {tuple(mesh.shape)}; "
            f"pass {example}"
        )
    if mesh.get_coordinate() is None:
        raise UsageError(f"this process is not in {mesh}; call vocabulary_parallel in the processes of the mesh only")


def _check_adapters(model: nn.Module) -> None:
    """Raise `UsageError` for adapters, which read the table that they contain in their own way."""
    for name, part in model.named_modules():
        if isinstance(part, PartlyLearned) or (is_wrapper(part) and _is_split(bare(part))):
            raise UsageError(
                f"{name or 'the model'} is a {type(part).__name__}, whose table cannot be split over processes; merge "
                "the adapter, or add it to other modules only"
            )


def _check(name: str, module: Any, model: nn.Module, processes: int) -> None:
    """Raise `UsageError` for a table or head that cannot be split."""
    if isinstance(module, TiedHead):
        _check_tie(name, module, model)
        return
    if is_distributed(module.weight):
        raise UsageError(
            f"{name} is distributed already ({list(module.weight.placements)} on {module.weight.device_mesh}); call "
            "vocabulary_parallel once, instead of RowwiseParallel and before fully_shard"
        )
    if len(module.weight) <= (processes - 1) * -(-len(module.weight) // processes):
        raise UsageError(
            f"{name} has {len(module.weight)} rows, too few to split over {processes} processes; use a smaller mesh"
        )
    _check_sharing(name, module, model)
    if isinstance(module, TokenEmbedding):
        _check_table(name, module)


def _check_table(name: str, table: TokenEmbedding) -> None:
    """Raise `UsageError` for a table with more than a lookup of rows."""
    if type(table).forward is not TokenEmbedding.forward:
        raise UsageError(
            f"{name} is a {type(table).__name__}, which reads its table in its own way; use a TokenEmbedding, or split "
            "the other modules only"
        )
    for option, is_set in (("sparse=True", table.sparse), ("a constraint", table.constraint is not None)):
        if is_set:
            raise UsageError(
                f"{name} has {option}, which a table that is split over processes does not support; build it without, "
                "and use torch.optim.AdamW"
            )
    if table.row_reader is not None:
        raise UsageError(f"{name} belongs to a deferred optimizer; use torch.optim.AdamW, and make it afterwards")


def _check_tie(name: str, head: TiedHead, model: nn.Module) -> None:
    """Raise `UsageError` for a head on a table that is not split too."""
    if any(part is head.embedding for part in model.modules()) and _is_split(cast(nn.Module, head.embedding)):
        return
    raise UsageError(
        f"{name} is tied to a {type(head.embedding).__name__} that is not a TokenEmbedding of this model; tie it to "
        "one, and pass the model that contains both"
    )


def _check_sharing(name: str, module: nn.Module, model: nn.Module) -> None:
    """Raise `UsageError` if a module that stays whole has a parameter of a module that is split."""
    own = {id(parameter) for parameter in module.parameters(recurse=False)}
    for other_name, other in model.named_modules():
        if not _is_split(other) and own & {id(parameter) for parameter in other.parameters(recurse=False)}:
            raise UsageError(
                f"{other_name}, a {type(other).__name__}, has the same parameter as {name}, and would keep all of it; "
                f"replace {other_name} by a TiedHead or a TokenEmbedding"
            )


def _distributed(parameter: nn.Parameter, mesh: "DeviceMesh") -> nn.Parameter:
    """The parameter as a `DTensor` split by rows, with the numbers of the first process."""
    from torch.distributed.tensor import Shard, distribute_tensor

    rows: Tensor = distribute_tensor(parameter.detach(), mesh, [Shard(0)])
    return nn.Parameter(rows, requires_grad=parameter.requires_grad)
