"""Check that tied heads use the tables of their model: `check_tied`."""

from itertools import chain

from torch import nn

from rowspace.errors import UsageError
from rowspace.layers.head.heads import TiedHead

__all__ = ["check_tied"]


def check_tied(model: nn.Module) -> None:
    """Check that each `TiedHead` in `model` reads a table of `model`.

    A tied head refers to the embedding that it was built with. If the model gets another one, as with
    `model.embedding = TokenEmbedding(...)`, the head still reads the old table, which is no longer trained or saved.
    Call this function after replacing or resizing an embedding, and after loading, copying or materializing a model. To
    tie a head again, set its `embedding`.

    Args:
        model: Any module.

    Raises:
        UsageError: If a head reads a table that is not in `model`, with the names of the tables that are, or if the
            size of a head's bias differs from the number of rows of its table.

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
            if id(head.embedding) not in held and id(head.weight) not in held:
                raise UsageError(_sentence(name or "TiedHead", head, model))


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
