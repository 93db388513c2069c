"""The rows of tables and heads in this process: `VocabularyShards`, which split modules call in forward."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers._torch_private import is_in_data_parallel, is_transform_active
from rowspace.layers.head.chunked_loss import LossTerms
from rowspace.layers.head.loss_arguments import Reduction, checked_settings, combined_weights, reduced
from rowspace.layers.parallel.exchange import compared, sum_gradients, sum_rows
from rowspace.layers.parallel.loss import LocalRows, vocabulary_loss_sum, vocabulary_losses
from rowspace.layers.tables.distributed_lookup import is_distributed
from rowspace.layers.tables.gather import check_ids
from rowspace.layers.tables.lookup import lookup

if TYPE_CHECKING:
    from torch.distributed.device_mesh import DeviceMesh

    from rowspace.layers.tables.token_embedding import TokenEmbedding

__all__ = ["VocabularyShards"]


@dataclass(frozen=True, eq=False)
class VocabularyShards:
    """How a vocabulary is split over the processes of a mesh of one dimension, as `Shard(0)` of a `DTensor` does."""

    mesh: "DeviceMesh"
    group: str
    rank: int
    size: int

    @classmethod
    def of(cls, mesh: "DeviceMesh") -> "VocabularyShards":
        """The split over this mesh."""
        return cls(mesh, mesh.get_group().group_name, mesh.get_local_rank(), mesh.size())

    def __deepcopy__(self, memo: dict[int, Any]) -> "VocabularyShards":
        """Itself: a copy of a model is split over the same processes."""
        return self

    def __call__(self, table: "TokenEmbedding", ids: Tensor) -> Tensor:
        """Ids (...) → rows (..., d) of a table, as its `row_reader`."""
        weight = table.weight
        _refuse_surroundings(ids, "ids")
        check_ids(ids, weight.shape[0])
        local, rows = self.local(weight, "the table"), self._rows(weight)
        places = ids - rows.first
        is_local = (places >= 0) & (places < local.shape[0])
        found = lookup(torch.where(is_local, places, 0), local, padding_idx=self._padding(table, rows, local))
        return sum_rows(torch.where(is_local.unsqueeze(-1), found, 0), ids, self.group)

    def cross_entropy(  # noqa: PLR0913  the arguments of cross_entropy
        self,
        hidden: Tensor,
        weight: Tensor,
        targets: Tensor,
        *,
        bias: Tensor | None = None,
        row_weights: Tensor | None = None,
        class_weights: Tensor | None = None,
        ignore_index: int = -100,
        label_smoothing: float = 0.0,
        z_loss: float = 0.0,
        softcap: float | None = None,
        reduction: Reduction = "mean",
        chunk_size: int | None = None,
    ) -> Tensor:
        """As `cross_entropy`, for a weight and a bias of which each process has its rows."""
        _refuse_surroundings(hidden, "hidden states")
        terms = LossTerms(ignore_index, label_smoothing, z_loss, softcap)
        settings = checked_settings(hidden, weight, targets, bias, terms, reduction, chunk_size)
        states = sum_gradients(hidden.reshape(-1, hidden.shape[-1]), self.group)
        offsets = None if bias is None else self.local(bias, "the bias of the head")
        parts = states, self.local(weight, "the table of the head"), offsets, targets.reshape(-1)
        # states: (N, d); weight: (v, d); offsets: (v,); targets: (N,)
        weights = combined_weights(hidden, weight, targets, row_weights, class_weights, settings)
        is_summed = reduction != "none" and weights is None
        compute = vocabulary_loss_sum if is_summed else vocabulary_losses
        losses = compute(*parts, *settings, rows=self._rows(weight))
        return reduced(losses, weights, targets, ignore_index, reduction, is_summed=is_summed)

    def logits(self, hidden: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Hidden states (..., d), the same in all processes → all logits (..., V), in each process."""
        _refuse_surroundings(hidden, "hidden states")
        self.local(weight, "the table of the head")
        states = DTensor.from_local(compared(hidden, self.group), self.mesh, [Replicate()])
        return cast(DTensor, functional.linear(states, weight, bias)).full_tensor()

    def local(self, tensor: Tensor, name: str) -> Tensor:
        """The rows of a distributed tensor in this process; raise `UsageError` unless it is split over this mesh."""
        if isinstance(tensor, DTensor) and tensor.device_mesh == self.mesh and tensor.placements == (Shard(0),):
            return tensor.to_local()
        raise UsageError(
            f"{name} of shape {list(tensor.shape)} {_placed(tensor)}, but the vocabulary was split over {self.mesh}; "
            "call vocabulary_parallel first and fully_shard then, with another dimension of the mesh, and put table "
            "and head into one unit, or use reshard_after_forward=False for the table"
        )

    def _rows(self, weight: Tensor) -> LocalRows:
        total = weight.shape[0]
        most = -(-total // self.size)
        return LocalRows(self.rank * most, total, most, self.group)

    @staticmethod
    def _padding(table: "TokenEmbedding", rows: LocalRows, local: Tensor) -> int | None:
        """The index of the padding row among the local rows, if it is one of them."""
        if table.padding_idx is None or not 0 <= table.padding_idx - rows.first < local.shape[0]:
            return None
        return table.padding_idx - rows.first


def _refuse_surroundings(tensor: Tensor, name: str) -> None:
    """Raise `UsageError` for a `DTensor`, and inside of what would sum the gradients of different rows or hide them."""
    if is_distributed(tensor):
        raise UsageError(f"the {name} are a DTensor; pass those of this process, from full_tensor() or to_local()")
    if is_transform_active():
        raise UsageError(
            "transforms of torch.func do not support a vocabulary that is split over processes; use torch.autograd"
        )
    if is_in_data_parallel():
        raise UsageError(
            "DistributedDataParallel would average the gradients of different rows of a vocabulary that is split over "
            "processes; use fully_shard over another dimension of the mesh"
        )


def _placed(tensor: Tensor) -> str:
    if not isinstance(tensor, DTensor):
        return "is whole in this process"
    return f"has the placements {list(tensor.placements)} on {tensor.device_mesh}"
