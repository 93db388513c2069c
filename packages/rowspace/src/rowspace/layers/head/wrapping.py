"""Readers of a table follow it into and out of a wrapper of PEFT, `TrainableRows` or `LoraTable`.

PEFT replaces an embedding by a wrapper with `setattr` on its parent, of which a head that refers to the embedding does
not hear. PyTorch calls `_before_registration` before each such assignment.
"""

import weakref
from typing import Any, cast

from torch import nn
from torch.nn.modules.module import register_module_module_registration_hook

from rowspace.errors import UsageError
from rowspace.layers.tables.factorized import FactorizedEmbedding
from rowspace.layers.tables.hashed import HashedEmbedding
from rowspace.layers.tables.multi_hot import MultiHotEmbedding
from rowspace.layers.tables.quantized import QuantizedEmbedding
from rowspace.layers.tables.token_embedding import TokenEmbedding
from rowspace.layers.tables.wrapped import PartlyLearned, peft_kinds, wraps

__all__ = ["readers", "require_table"]

readers: weakref.WeakSet[Any] = weakref.WeakSet()  # all tied heads, and other modules that refer to a table
COMPUTED = (FactorizedEmbedding, PartlyLearned, QuantizedEmbedding)  # their weight is computed at each access
UNSCALED = {"HiraLayer": "HiRA", "TinyLoraLayer": "TinyLoRA"}


def _before_registration(parent: nn.Module, name: str, module: nn.Module | None) -> nn.Module | None:
    """Let readers follow if a wrapper replaces a table, or a table its wrapper."""
    previous = parent._modules.get(name)
    if previous is None or module is None:
        return None
    if wraps(module, previous):
        if any(reader is previous for reader in readers) and _ties(module):
            return previous  # which follows its embedding without a wrapper
        _refuse_table(module, previous, name)
        _refuse_copies(module, previous, name)
    elif not (wraps(previous, module) or _puts_rows_on(module, previous) or _puts_rows_on(previous, module)):
        return None
    for reader in list(readers):
        for attribute in ("embedding", "head"):
            if getattr(reader, attribute, None) is previous:
                setattr(reader, attribute, module)
    return None


def _puts_rows_on(outer: nn.Module, table: nn.Module) -> bool:
    """Whether a module looks up rows of its own beside those of this table, which it contains."""
    return isinstance(outer, PartlyLearned) and outer.table is table


def _ties(wrapper: Any) -> bool:
    """Whether PEFT wraps a head because its model is tied, so that the head uses the adapter of the embedding."""
    if {"TrainableTokensWrapper", "TrainableTokensLayer"} & peft_kinds(wrapper):
        return True
    saved = getattr(wrapper, "modules_to_save", None)
    return isinstance(saved, nn.ModuleDict) and all(type(each) is nn.Linear for each in saved.values())


def _refuse_table(wrapper: nn.Module, module: nn.Module, name: str) -> None:
    """Raise `UsageError` for adapters that do not apply the scale of a table or do not support its gradients."""
    kinds = peft_kinds(wrapper)
    if not isinstance(module, TokenEmbedding) or "ModulesToSaveWrapper" in kinds:
        return
    if isinstance(module, MultiHotEmbedding):
        raise UsageError(f"{name} adds the rows of several ids, which PEFT's layers do not; use modules_to_save for it")
    method = next((UNSCALED[kind] for kind in kinds if kind in UNSCALED), None)
    if method is not None and module.scale is not None:
        raise UsageError(f"{name} has the scale {module.scale!r}, which PEFT's {method} does not apply; use LoRA")
    if module.sparse:
        raise UsageError(f"{name} has sparse gradients, which PEFT's layers do not support; set {name}.sparse = False")


def _refuse_copies(wrapper: nn.Module, module: nn.Module, name: str) -> None:
    """Raise `UsageError` if PEFT copies a reader without its table, or a table with its surroundings."""
    if "ModulesToSaveWrapper" not in peft_kinds(wrapper):
        return
    inside = {id(part) for part in module.modules()}
    for reader in list(readers):
        tables = {id(reader.embedding), id(getattr(reader, "head", reader.embedding))}
        if id(reader) in inside and not tables <= inside:
            raise UsageError(
                f"modules_to_save contains {name}, which would read a copy of the table that it shares; leave it out: "
                "it follows its embedding, and parameters of its own learn after requires_grad_()"
            )
        if id(reader) not in inside and tables & inside - {id(module)}:
            raise UsageError(
                f"modules_to_save contains {name}, which contains a table that another module reads; name the table "
                "itself"
            )


def require_table(embedding: Any) -> None:
    """Raise `UsageError` for a module without a table that has one row per id."""
    if _has_row_per_id(embedding):
        return
    ids, width = (getattr(embedding, name, None) for name in ("num_embeddings", "embedding_dim"))
    sizes = f"({width}, {ids})" if ids and width else ""
    raise UsageError(
        f"embedding must be a module with a weight (V, d), got {type(embedding).__name__}, which has none with one row "
        f"per id; use UntiedHead{sizes}, or tie the head to a TokenEmbedding"
    )


def _has_row_per_id(embedding: Any) -> bool:
    if isinstance(embedding, COMPUTED):
        return True
    weight: Any = getattr(embedding, "weight", None)
    if isinstance(embedding, HashedEmbedding) or getattr(weight, "ndim", None) != 2:
        return False
    # The number of an nn.Embedding may be that of a weight which was replaced since.
    ids = None if isinstance(embedding, nn.Embedding) else getattr(embedding, "num_embeddings", None)
    return ids is None or ids == len(weight)


register_module_module_registration_hook(cast(Any, _before_registration))  # its type allows no result, its text does
