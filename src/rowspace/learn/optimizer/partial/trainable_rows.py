"""A table of which only some rows learn: `TrainableRows`, and `add_rows` for new ones."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Self

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from rowspace._base.atomic import StrPath, atomic_directory
from rowspace.errors import FileFormatError, UsageError, reason_of
from rowspace.files.strict_json import is_count, read_object
from rowspace.layers.tables.lookup import lookup
from rowspace.layers.tables.token_embedding import scaled

__all__ = ["TrainableRows", "add_rows"]

CONFIG, TENSORS = "adapter_config.json", "adapter_model.safetensors"
KEY = "trainable_tokens_delta"


class TrainableRows(nn.Module):
    """ids (...) → (..., d): the rows of a table, of which only those of `token_ids` are parameters.

    The table itself does not change by a bit until `merge()`, which writes the learned rows to it and no others.
    Gradients and the optimizer's state have the size of the learned rows.

    The format of `save` and `load` is that of PEFT's `TrainableTokensConfig`.

    Args:
        table: `TokenEmbedding` or `nn.Embedding`; its weight is frozen.
        token_ids: The ids of the rows that learn.
        sparse: Whether their gradient is sparse.

    Raises:
        UsageError: If there are no ids, or if one is duplicated or out of range.

    >>> table = nn.Embedding(10, 4)
    >>> rows = TrainableRows(table, [7, 2])
    >>> rows(torch.tensor([2, 3])).equal(table(torch.tensor([2, 3])))
    True
    >>> sum(parameter.numel() for parameter in rows.parameters() if parameter.requires_grad)
    8
    """

    position: Tensor

    def __init__(self, table: nn.Embedding, token_ids: Iterable[int], *, sparse: bool = False) -> None:
        super().__init__()
        ids = [int(number) for number in token_ids]
        _check_ids(ids, table.num_embeddings)
        self.table = table
        self.table.weight.requires_grad_(False)
        self.token_ids = ids
        index = torch.tensor(ids, device=table.weight.device)
        padding = ids.index(table.padding_idx) if table.padding_idx in ids else None
        values = table.weight.detach()[index].clone()
        self.rows = nn.Embedding.from_pretrained(values, freeze=False, padding_idx=padding, sparse=sparse)
        position = torch.full((table.num_embeddings,), -1, device=index.device)
        position[index] = torch.arange(len(ids), device=index.device)
        self.register_buffer("position", position, persistent=False)

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → rows (..., d)."""
        frozen = lookup(ids, self.table.weight)
        position = self.position[ids]
        learned = self.rows(position.clamp(min=0))
        rows = torch.where((position >= 0).unsqueeze(-1), learned, frozen)
        return scaled(rows, getattr(self.table, "scale", None))

    @torch.no_grad()
    def merge(self) -> nn.Embedding:
        """Write the learned rows to the table.

        After steps of a deferred optimizer, call its `flush()` before; the same holds for `save`.

        Returns:
            The table, whose other rows are unchanged.
        """
        self.table.weight[self.token_ids] = self.rows.weight.to(self.table.weight.dtype)
        return self.table

    def save(self, path: StrPath, module_name: str) -> None:
        """Save the learned rows as a PEFT adapter, which `PeftModel.from_pretrained` opens.

        Args:
            path: The folder.
            module_name: The name of the table in the model, as in `model.named_modules()`.
        """
        config = {
            "peft_type": "TRAINABLE_TOKENS",
            "target_modules": [module_name],
            "token_indices": self.token_ids,
            "init_weights": True,
            "inference_mode": True,
            "base_model_name_or_path": None,
            "task_type": None,
        }
        with atomic_directory(path, marker=CONFIG) as folder:
            (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
            tensors = {f"base_model.model.{module_name}.{KEY}": self.rows.weight.detach().contiguous()}
            save_file(tensors, folder / TENSORS, metadata={"format": "pt"})

    @classmethod
    def load(cls, path: StrPath, table: nn.Embedding, *, sparse: bool = False) -> Self:
        """Open the rows of an adapter that was saved here or by PEFT.

        Args:
            path: The folder.
            table: The table that it was made for.
            sparse: As in the constructor.

        Returns:
            The module.

        Raises:
            FileFormatError: If the folder holds no such adapter.
            UsageError: If it does not fit the table.
        """
        folder = Path(path)
        ids = _saved_ids(folder)
        rows = _saved_rows(folder / TENSORS)
        if rows.shape != (len(ids), table.embedding_dim):
            raise UsageError(
                f"{folder} has rows of shape {list(rows.shape)} for {len(ids)} ids, but the table has rows of length "
                f"{table.embedding_dim}; use the model that it was trained with"
            )
        module = cls(table, ids, sparse=sparse)
        with torch.no_grad():
            module.rows.weight.copy_(rows)
        return module


@torch.no_grad()
def add_rows(table: nn.Embedding, count: int) -> range:
    """Append rows to a table in place, each the mean of the rows that were there.

    Create the optimizer afterwards: the weight is a new parameter. A tied head must be tied again.

    Args:
        table: `TokenEmbedding` or `nn.Embedding`.
        count: The number of new rows.

    Returns:
        The ids of the new rows.

    Raises:
        UsageError: If `count` is not positive.

    >>> table = nn.Embedding(10, 4)
    >>> add_rows(table, 2), table.weight.shape
    (range(10, 12), torch.Size([12, 4]))
    """
    if count < 1:
        raise UsageError(f"count must be at least 1, not {count}")
    weight = table.weight
    mean = weight.mean(0, dtype=torch.promote_types(weight.dtype, torch.float32)).to(weight.dtype)
    enlarged = torch.cat([weight.detach(), mean.expand(count, -1)])
    table.weight = nn.Parameter(enlarged, requires_grad=weight.requires_grad)
    table.num_embeddings += count
    return range(len(weight), len(enlarged))


def _check_ids(ids: list[int], num_embeddings: int) -> None:
    if not ids:
        raise UsageError("token_ids must name at least one row")
    for number in ids:
        if not 0 <= number < num_embeddings:
            raise UsageError(
                f"id {number} is out of range for a table of {num_embeddings} rows; add_rows makes it larger"
            )
    if len(set(ids)) < len(ids):
        raise UsageError(f"id {next(number for number in ids if ids.count(number) > 1)} is duplicated in token_ids")


def _saved_ids(folder: Path) -> list[int]:
    config = read_object(folder / CONFIG)
    ids = config.get("token_indices")
    if config.get("peft_type") != "TRAINABLE_TOKENS" or not isinstance(ids, list) or not all(map(is_count, ids)):
        raise FileFormatError(f"{folder / CONFIG}: is not an adapter of trainable tokens with a list of token_indices")
    return ids


def _saved_rows(path: Path) -> Tensor:
    try:
        tensors = load_file(path)
    except (OSError, SafetensorError) as error:
        raise FileFormatError(f"{path}: cannot be read: {reason_of(error)}") from error
    found = [tensor for name, tensor in tensors.items() if name.endswith(KEY)]
    if len(found) != 1:
        raise FileFormatError(f"{path}: has {len(found)} tensors named {KEY}; expected one")
    return found[0]
