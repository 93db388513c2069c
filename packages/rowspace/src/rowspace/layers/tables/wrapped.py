"""A table inside a wrapper of PEFT, or offloaded by accelerate: `bare`, `table_of`, `read_table`, `loaded`.

PEFT puts a wrapper in the place of an embedding. A module that reads the table of another one must read what the
wrapper looks up: the trained copy, the rows with the adapter's product, or the rows that were replaced. accelerate
keeps the numbers of an offloaded module elsewhere and loads them for a call of that module only.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.tables.matryoshka import MatryoshkaEmbedding, truncate

VARIANTS = {"DoraEmbeddingVariant", "MiCAEmbeddingVariant"}  # of PEFT's LoRA, beside plain LoRA

__all__ = [
    "PartlyLearned",
    "bare",
    "is_wrapper",
    "loaded",
    "peft_kinds",
    "read_table",
    "require_numbers",
    "table_of",
    "wraps",
]


class PartlyLearned(nn.Module):
    """The base class of modules that look up other rows than those of the frozen `table` that they contain.

    Their `weight` (V, d) has the rows that they look up before the scale of the table, computed at each access.
    """

    table: nn.Embedding

    @property
    def num_embeddings(self) -> int:
        """V."""
        return self.table.num_embeddings

    @property
    def embedding_dim(self) -> int:
        """The number of columns, d."""
        return self.table.embedding_dim


def peft_kinds(module: object) -> set[str]:
    """The names of PEFT's classes that `module` is an instance of; PEFT need not be installed.

    >>> peft_kinds(nn.Embedding(3, 2))
    set()
    """
    return {kind.__name__ for kind in type(module).__mro__ if kind.__module__.partition(".")[0] == "peft"}


def wraps(outer: object, inner: object) -> bool:
    """Whether `outer` is a wrapper of PEFT that contains `inner`."""
    return outer is not inner and is_wrapper(outer) and any(part is inner for part in cast(nn.Module, outer).modules())


def is_wrapper(module: object) -> bool:
    """Whether PEFT has put this module in the place of another one, which it contains."""
    return bool(peft_kinds(module) & {"BaseTunerLayer", "AuxiliaryTrainingWrapper"})


def bare(module: Any) -> Any:
    """The module that a wrapper of PEFT calls, or `module` itself if it is not wrapped.

    >>> table = nn.Embedding(3, 2)
    >>> bare(table) is table
    True
    """
    kinds = peft_kinds(module)
    if "ModulesToSaveWrapper" in kinds:
        return bare(_saved_module(module))
    if "TrainableTokensWrapper" in kinds:
        return bare(module.token_adapter)
    return bare(module.base_layer) if "BaseTunerLayer" in kinds else module


def read_table(embedding: Any, hidden: Tensor) -> Tensor:
    """The table (V, d) that `embedding` looks up now, for a product with `hidden` (..., d).

    Args:
        embedding: A module with a weight (V, d), or a wrapper of PEFT around one.
        hidden: Determines whether numbers are needed, and where.

    Returns:
        (V, d), loaded and on the device of `hidden` if accelerate manages the embedding.

    Raises:
        UsageError: For an adapter whose table is not known.
    """
    table = table_of(embedding)
    if hidden.is_meta or not (table.is_meta or hasattr(bare(embedding), "_hf_hook")):
        return table
    with loaded(bare(embedding)):
        table = table_of(embedding)
    return table if table.is_meta else table.to(hidden.device)


def require_numbers(tensor: Tensor | None, hidden: Tensor) -> None:
    """Raise `UsageError` for a tensor on the meta device: torch would return uninitialized memory.

    >>> require_numbers(torch.empty(3, 2, device="meta"), torch.ones(2))
    Traceback (most recent call last):
    rowspace.errors.UsageError: a tensor of [3, 2] is on the meta device, where it has no numbers; load ...
    """
    if tensor is not None and tensor.is_meta and not hidden.is_meta:
        raise UsageError(
            f"a tensor of {list(tensor.shape)} is on the meta device, where it has no numbers; load the weights first; "
            "for accelerate's preload_module_classes, name no class that contains it"
        )


def table_of(embedding: Any) -> Tensor:
    """The table (V, d) that `embedding` looks up now, without loading it: under PEFT, that of the active adapters.

    Args:
        embedding: As in `read_table`.

    Returns:
        (V, d): the rows before the embedding's scale.

    Raises:
        UsageError: For an adapter whose table is not known, or a batch with several adapters.

    >>> table = nn.Embedding(3, 2)
    >>> table_of(table) is table.weight
    True
    """
    kinds = peft_kinds(embedding)
    if not kinds:
        if isinstance(embedding, MatryoshkaEmbedding):
            return truncate(embedding.weight, embedding.dim, normalize=embedding.normalize)
        return cast(Tensor, embedding.weight)
    _refuse_mixed_batch(embedding)
    if "ModulesToSaveWrapper" in kinds:
        return table_of(_saved_module(embedding))
    if "TrainableTokensWrapper" in kinds:
        return table_of(embedding.token_adapter)
    return _adapted(embedding, kinds)


def _adapted(layer: Any, kinds: set[str]) -> Tensor:
    """The table of a layer of LoRA or of trainable tokens, equal to the table after merging."""
    if layer.disable_adapters and layer.merged:
        layer.unmerge()  # as the layer's forward does
    base = table = table_of(layer.base_layer)
    if layer.disable_adapters or layer.merged:
        return base
    for name in layer.active_adapters:
        if "TrainableTokensLayer" in kinds:
            rows = torch.tensor(layer.token_indices[name], device=table.device)
            table = table.index_copy(0, rows, layer.trainable_tokens_delta[name].to(table))
        elif not hasattr(layer, "lora_embedding_A") or not _kinds_of_variant(layer, name) <= VARIANTS:
            raise UsageError(
                f"a tied head cannot read a table with an adapter of {type(layer).__module__.split('.')[-2]} of this "
                "kind; use plain LoRA, trainable_token_indices or modules_to_save for it, or merge the adapter"
            )
        elif name in layer.lora_embedding_A:
            table = _with_product(layer, name, table, base)
    return table


def _kinds_of_variant(layer: Any, name: str) -> set[str]:
    return {type(layer.lora_variant[name]).__name__} if name in layer.lora_variant else set()


def _with_product(layer: Any, name: str, table: Tensor, base: Tensor) -> Tensor:
    """Add the product of LoRA; for DoRA, give columns the learned norms, with the norms of the sum as constants."""
    product: Tensor = layer.get_delta_weight(name).to(table.dtype)
    if name not in (layer.lora_magnitude_vector or {}):
        return table + product
    magnitude = layer.lora_magnitude_vector[name]
    norms = magnitude.get_weight_norm(base, product.T, scaling=1).detach()
    factors: Tensor = (magnitude.weight / norms).to(table.dtype)
    return (table + product) * factors


def _saved_module(wrapper: Any) -> Any:
    """The module that a `ModulesToSaveWrapper` calls: the copy of the active adapter, or the original."""
    names = wrapper.active_adapters
    if wrapper.disable_adapters or not names or names[0] not in wrapper.modules_to_save:
        return wrapper.original_module
    return wrapper.modules_to_save[names[0]]


def _refuse_mixed_batch(wrapper: Any) -> None:
    """PEFT tells its wrappers by a hook which adapter each text of a batch has; a head does not learn it."""
    for hook in wrapper._forward_pre_hooks.values():
        if "adapter_names" in (getattr(hook, "keywords", None) or {}):
            raise UsageError(
                "a tied head has one table for the whole batch, so adapter_names cannot differ between its texts; run "
                "one batch for each adapter"
            )


@contextmanager
def loaded(module: Any) -> Iterator[None]:
    """A context in which a module that accelerate has offloaded has its weights, as in a call of it and its parts."""
    hooked = [part for part in module.modules() if hasattr(part, "_hf_hook")]
    away = [part for part in hooked if any(tensor.is_meta for tensor in part.parameters(recurse=False))]
    for part in away:
        part._hf_hook.pre_forward(part)
    try:
        yield
    finally:
        for part in away:
            part._hf_hook.post_forward(part, None)
