"""Check that tied heads use the tables of their model: `check_tied`."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.head.heads import TiedHead
from rowspace.layers.tables.distributed_lookup import is_distributed
from rowspace.layers.tables.wrapped import PartlyLearned, bare, is_wrapper, peft_kinds, wraps

__all__ = ["check_tied"]


def check_tied(model: nn.Module, heads: Mapping[str, str] | None = None) -> None:
    """Check that each tied head in `model` reads the table of its embedding in `model`.

    A `TiedHead` refers to the embedding that it was built with. If the model gets another one, as with
    `model.embedding = TokenEmbedding(...)`, the head still reads the old table, which is no longer trained or saved. To
    tie a head again, set its `embedding`. A head of transformers, or an `nn.Linear` with `head.weight =
    embedding.weight`, keeps the old table too. Call this function after replacing or resizing an embedding, after
    loading, copying or materializing a model, and after adding an adapter.

    Heads of transformers are checked if the configuration has `tie_word_embeddings`. An `nn.Linear` is checked if it is
    named in `heads`, or shares the frozen weight of an embedding that PEFT has wrapped.

    Args:
        model: Any module.
        heads: Other modules, by name, that should share the weight of an embedding: `{"head": "tokens"}`.

    Raises:
        UsageError: If a head reads a table that is not in `model`, with the names of the tables that are, or another
            one than the embedding, or if the size of a head's bias differs from the number of rows of its table.

    >>> model = nn.ModuleDict({"embedding": nn.Embedding(10, 4)})
    >>> model["head"] = TiedHead(model["embedding"])
    >>> check_tied(model)
    >>> model["embedding"] = nn.Embedding(12, 4)
    >>> check_tied(model)
    Traceback (most recent call last):
    rowspace.errors.UsageError: head is tied to a table of 10 × 4 that is not in the model; set head...
    >>> model["head"].embedding = model["embedding"]
    >>> check_tied(model)
    """
    held = {id(part) for part in chain(model.modules(), model.parameters(), model.buffers())}
    for name, head in model.named_modules():
        if isinstance(head, TiedHead):
            _check_bias(name or "TiedHead", head)
            if id(head.embedding) not in held and id(head.embedding.weight) not in held:
                raise UsageError(_sentence(name or "TiedHead", head, model))
    _check_wrappers(model)
    _check_partly_learned(model)
    for head_name, table_name in (heads or {}).items():
        _check_pair(model, head_name, model.get_submodule(head_name), model.get_submodule(table_name))
    for prefix, part in model.named_modules():
        if getattr(getattr(part, "config", None), "tie_word_embeddings", False):
            _check_transformers(model, f"{prefix}." if prefix else "", part)


def _check_bias(name: str, head: TiedHead) -> None:
    """Raise `UsageError` if the table was resized and the bias was not."""
    rows = len(head.weight)
    if head.bias is not None and len(head.bias) != rows:
        raise UsageError(
            f"{name} has a bias of {len(head.bias)} numbers for a table of {rows} rows; replace it by a bias of {rows}"
        )


def _sentence(name: str, head: TiedHead, model: nn.Module) -> str:
    """The message for a head that is not tied, with the tables of the model."""
    rows, dim = head.weight.shape
    return (
        f"{name} is tied to a table of {rows} × {dim} that is not in the model; set {name}.embedding to the "
        f"embedding of the model ({_tables(model)})"
    )


def _tables(model: nn.Module) -> str:
    """The names and sizes of the embeddings in a model."""
    found = [(name, module) for name, module in model.named_modules() if isinstance(module, nn.Embedding)]
    return (
        ", ".join(f"{name}: {len(module.weight)} × {module.weight.shape[1]}" for name, module in found) or "it has none"
    )


def _check_wrappers(model: nn.Module) -> None:
    """Raise `UsageError` if a module outside of a wrapper of PEFT reads the frozen table inside."""
    wrappers = [module for module in model.modules() if is_wrapper(module)]
    wrapped = {id(part) for wrapper in wrappers for part in wrapper.modules() if part is not wrapper}
    outside = [(name, module) for name, module in model.named_modules() if id(module) not in wrapped]
    for name, wrapper in outside:
        if not is_wrapper(wrapper) or not isinstance(bare(wrapper), nn.Embedding):
            continue
        frozen = {id(part.weight) for part in wrapper.modules() if isinstance(part, nn.Embedding)}
        for other_name, other in outside:
            if isinstance(other, TiedHead) and wraps(wrapper, other.embedding):
                raise UsageError(
                    f"{other_name} reads the table inside of PEFT's wrapper {name}, without its adapter; set "
                    f"{other_name}.embedding to the module {name}"
                )
            if id(other._parameters.get("weight")) in frozen:
                raise UsageError(_untied(other_name, name, is_wrapped=True))


def _check_partly_learned(model: nn.Module) -> None:
    """Raise `UsageError` if a head reads the frozen table of a `TrainableRows` or `LoraTable`."""
    frozen = {id(part.table): name for name, part in model.named_modules() if isinstance(part, PartlyLearned)}
    for name, head in model.named_modules():
        outer = frozen.get(id(head.embedding)) if isinstance(head, TiedHead) else None
        if outer is not None:
            raise UsageError(
                f"{name} reads the frozen table inside of {outer}, without the rows that it learns; "
                f"set {name}.embedding to {outer}"
            )


def _check_transformers(model: nn.Module, prefix: str, part: Any) -> None:
    """Raise `UsageError` if a model of transformers has weights that its configuration ties and that are not."""
    head = part.get_output_embeddings() if hasattr(part, "get_output_embeddings") else None
    if head is not None:
        name = next((name for name, module in model.named_modules() if module is head), "the head")
        _check_pair(model, name, head, part.get_input_embeddings())
    expand = getattr(part, "get_expanded_tied_weights_keys", None)
    for target, source in (expand() if expand is not None else {}).items():
        tensors = [_tensor(part, name) for name in (target, source)]  # None: renamed by a wrapper, or of a TiedHead
        if None not in tensors and _place(tensors[0]) != _place(tensors[1]):
            raise UsageError(_untied(prefix + target, prefix + source, is_wrapped=False))


def _check_pair(model: nn.Module, name: str, head: nn.Module, table: nn.Module) -> None:
    """Raise `UsageError` if a head does not share the weight of a table, or the parameters of its adapter."""
    reads = head.embedding if isinstance(head, TiedHead) else head
    if _places(reads) != _places(table):
        found = next((name for name, module in model.named_modules() if module is table), "the embedding")
        raise UsageError(_untied(name, found, is_wrapped=bool(peft_kinds(reads) or peft_kinds(table))))


def _untied(head: str, table: str, *, is_wrapped: bool) -> str:
    cure = (
        "train both with ensure_weight_tying=True, or use a TiedHead"
        if is_wrapped
        else "tie them again, by tie_weights() in a model of transformers"
    )
    return f"{head} does not read the table of {table}, to which it should be tied; {cure}"


def _places(module: Any) -> set[int]:
    """Where the weight of a module is in memory; of a wrapper of PEFT, also the matrices of its adapters."""
    if not peft_kinds(module):
        return {_place(module.weight)}
    return {_place(parameter) for parameter in module.parameters() if parameter.dim() > 1}


def _place(tensor: Any) -> int:
    if tensor.is_meta:
        return 0  # offloaded or not loaded: not known
    return id(tensor) if is_distributed(tensor) else tensor.untyped_storage().data_ptr()


def _tensor(module: nn.Module, name: str) -> Tensor | None:
    try:
        return module.get_parameter(name)
    except AttributeError:
        return None
