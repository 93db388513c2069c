"""A table of which only some rows learn: `TrainableRows`."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from rowspace._base.atomic import StrPath, atomic_folder
from rowspace.errors import FileFormatError, UsageError, reason_of
from rowspace.files.strict_json import is_count, read_object
from rowspace.layers.base_modules import ConstantBuffers, RecordedSettings
from rowspace.layers.tables.adapters.lora import check_table, frozen_rows, require_loaded, scaled_as
from rowspace.layers.tables.wrapped import PartlyLearned

__all__ = ["TrainableRows"]

CONFIG, TENSORS = "adapter_config.json", "adapter_model.safetensors"
KEY = "trainable_tokens_delta"


class TrainableRows(ConstantBuffers, RecordedSettings, PartlyLearned):
    """ids (...) → (..., d): the rows of a table, of which only those of `token_ids` are parameters.

    The table itself does not change by a bit until `merge()`, which writes the learned rows to it and no others.
    Gradients and the optimizer's state have the size of the learned rows.

    The format of `save` and `load` is that of PEFT's `TrainableTokensConfig`; `load` also opens the rows of
    `trainable_token_indices` in an adapter of another kind, such as LoRA.

    Args:
        table: `TokenEmbedding` or `nn.Embedding`; its weight is frozen.
        token_ids: The ids of the rows that learn.
        sparse: Whether their gradient is sparse.

    Raises:
        UsageError: If there are no ids, if one is duplicated or out of range, or for another kind of table.

    >>> table = nn.Embedding(10, 4)
    >>> rows = TrainableRows(table, [7, 2])
    >>> rows(torch.tensor([2, 3])).equal(table(torch.tensor([2, 3])))
    True
    >>> sum(parameter.numel() for parameter in rows.parameters() if parameter.requires_grad)
    8
    """

    index: Tensor
    position: Tensor

    def __init__(self, table: nn.Embedding, token_ids: Iterable[int], *, sparse: bool = False) -> None:
        check_table(table)
        super().__init__(device=table.weight.device)
        ids = [int(number) for number in token_ids]
        _check_ids(ids, table.num_embeddings)
        self.table = table
        self.table.weight.requires_grad_(False)
        self.token_ids = ids
        self.register_constant("index", torch.tensor(ids, device="cpu"))
        padding = ids.index(table.padding_idx) if table.padding_idx in ids else None
        values = table.weight.detach()[self.index].clone()
        self.rows = nn.Embedding.from_pretrained(values, freeze=False, padding_idx=padding, sparse=sparse)
        position = torch.full((table.num_embeddings,), -1, device="cpu")
        position[ids] = torch.arange(len(ids), device="cpu")
        self.register_constant("position", position)

    @property
    def weight(self) -> Tensor:
        """The table (V, d) with the learned rows, a new tensor; a `TiedHead` reads it."""
        frozen = self.table.weight
        return frozen.index_copy(0, self.index.to(frozen.device), self.rows.weight.to(frozen.dtype))

    def recorded_settings(self) -> list[int]:
        """The ids of the rows, which `state_dict` has beside them."""
        return self.token_ids

    def explain_settings(self, found: list[int] | None, state: Mapping[str, Any]) -> str | None:
        """Explain a difference in ids; a state may have none."""
        if found is None or found == self.token_ids:
            return None
        return (
            f"the state has the rows of the ids {found[:5]}, not of {self.token_ids[:5]}; pass the ids that were saved"
        )

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → rows (..., d)."""
        frozen = frozen_rows(self.table, ids, len(self.position))
        position = self.position[ids]
        learned = scaled_as(self.table, self.rows(position.clamp(min=0)))
        return torch.where((position >= 0).unsqueeze(-1), learned, frozen)

    @torch.no_grad()
    def merge(self) -> nn.Embedding:
        """Write the learned rows to the table.

        After steps of a deferred optimizer, call its `flush()` before; the same holds for `save`.

        Returns:
            The table, whose other rows are unchanged.

        Raises:
            UsageError: If accelerate has offloaded the module.
        """
        require_loaded(*self.parameters())
        self.table.weight[self.token_ids] = self.rows.weight.to(self.table.weight.dtype)
        return self.table

    def save(self, path: StrPath, module_name: str) -> None:
        """Save the learned rows as a PEFT adapter, which `PeftModel.from_pretrained` opens.

        For a tied model PEFT lets the head use the same rows; it warns that the adapter has none for the head.

        Args:
            path: The folder.
            module_name: The full name of the table in the model that PEFT will load, as in `model.named_modules()`:
                "model.embed_tokens" in a `LlamaForCausalLM`.

        Raises:
            UsageError: If accelerate has offloaded the module.
        """
        require_loaded(self.rows.weight)
        config = {
            "peft_type": "TRAINABLE_TOKENS",
            "target_modules": [module_name],
            "token_indices": self.token_ids,
            "init_weights": True,
            "inference_mode": True,
            "base_model_name_or_path": None,
            "task_type": None,
        }
        with atomic_folder(path, marker=CONFIG) as folder:
            (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
            tensors = {f"base_model.model.{module_name}.{KEY}": self.rows.weight.detach().contiguous()}
            save_file(tensors, folder / TENSORS, metadata={"format": "pt"})

    @classmethod
    def load(cls, path: StrPath, table: nn.Embedding, *, module_name: str | None = None, sparse: bool = False) -> Self:
        """Open the rows of an adapter that was saved here or by PEFT.

        Args:
            path: The folder.
            table: The table that it was made for.
            module_name: Which rows to open if the adapter has different ones for several modules: the last part or
                parts of the name of one. PEFT saves those of a tied head twice.
            sparse: As in the constructor.

        Returns:
            The module.

        Raises:
            FileFormatError: If the folder holds no such adapter.
            UsageError: If it does not fit the table, or has rows for several modules.
        """
        folder = Path(path)
        by_module = _saved_ids(folder / CONFIG)
        name, rows = _saved_rows(folder / TENSORS, module_name)
        ids = next((ids for end, ids in by_module.items() if not end or f".{name}".endswith(f".{end}")), [])
        if rows.shape != (len(ids), table.embedding_dim):
            raise UsageError(
                f"{folder} has rows of shape {list(rows.shape)} for {len(ids)} ids, but the table has rows of length "
                f"{table.embedding_dim}; use the model that it was trained with"
            )
        module = cls(table, ids, sparse=sparse)
        with torch.no_grad():
            module.rows.weight.copy_(rows)
        return module


def _check_ids(ids: list[int], num_embeddings: int) -> None:
    if not ids:
        raise UsageError("token_ids must name at least one row")
    for number in ids:
        if not 0 <= number < num_embeddings:
            raise UsageError(
                f"id {number} is out of range for a table of {num_embeddings} rows; extend makes it larger"
            )
    if len(set(ids)) < len(ids):
        raise UsageError(f"id {next(number for number in ids if ids.count(number) > 1)} is duplicated in token_ids")


def _saved_ids(path: Path) -> dict[str, list[int]]:
    """The ids of the rows by the end of the name of their module, "" for all modules."""
    config = read_object(path)
    key = "token_indices" if config.get("peft_type") == "TRAINABLE_TOKENS" else "trainable_token_indices"
    found: Any = config.get(key)
    by_module = found if isinstance(found, dict) else {"": found}
    if not all(isinstance(ids, list) and all(map(is_count, ids)) for ids in by_module.values()):
        raise FileFormatError(f"{path}: is not an adapter of trainable tokens with a list of token_indices")
    return by_module


def _saved_rows(path: Path, module_name: str | None) -> tuple[str, Tensor]:
    """The name of a module and its rows."""
    try:
        tensors = load_file(path)
    except (OSError, SafetensorError) as error:
        raise FileFormatError(f"{path}: cannot be read: {reason_of(error)}") from error
    found = {_module_of(key): tensor for key, tensor in tensors.items() if key.split(".")[-1] == KEY}
    if not found:
        raise FileFormatError(f"{path}: has no tensor named {KEY}; expected the rows of trainable tokens")
    chosen = {name: rows for name, rows in found.items() if f".{name}".endswith(f".{module_name or name}")}
    names = list(chosen or found)
    if not chosen or any(not rows.equal(chosen[names[0]]) for rows in chosen.values()):
        raise UsageError(f"{path} has rows for {', '.join(names)}; pass one of these names as module_name")
    name = min(names, key=lambda each: each.endswith("head"))  # of a tied pair, the embedding has the ids
    return name, chosen[name]


def _module_of(key: str) -> str:
    """The name of a module in the model, from that of a tensor in an adapter."""
    return key.removeprefix("base_model.model.").removesuffix(f".{KEY}").removesuffix(".token_adapter")
