"""Check that tied heads still read the tables of their model: `check_tied`."""

from itertools import chain

from torch import nn

from rowspace.errors import UsageError
from rowspace.layers.head.heads import TiedHead

__all__ = ["check_tied"]


def check_tied(model: nn.Module) -> None:
    """Raise `UsageError` unless each `TiedHead` in `model` reads a table that `model` holds.

    A tied head refers to the embedding that it was built with. Where the model gets another one, as by
    `model.embedding = TokenEmbedding(...)`, the head keeps the old table, which is then neither trained nor saved. Call
    this after an embedding is replaced or resized, and after loading, copying or materializing a model. To tie a head
    again, set its `embedding`.

    Raises `UsageError` that names the head and the tables that the model holds, also where the bias of a head has not
    as many numbers as its table has rows.

    >>> model = nn.ModuleDict({"embedding": nn.Embedding(10, 4)})
    >>> model["head"] = TiedHead(model["embedding"])
    >>> check_tied(model)
    >>> model["embedding"] = nn.Embedding(12, 4)
    >>> check_tied(model)
    Traceback (most recent call last):
    rowspace.errors.UsageError: head is tied to a table of 10 × 4 that the model does not hold; set head...
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
    """Raise `UsageError` where a table was resized and the bias was not."""
    rows = len(head.weight)
    if head.bias is not None and len(head.bias) != rows:
        raise UsageError(
            f"{name} has a bias of {len(head.bias)} numbers for a table of {rows} rows; replace it by a bias of {rows}"
        )


def _sentence(name: str, head: TiedHead, model: nn.Module) -> str:
    """What is wrong with a head, and the tables that it could be tied to."""
    rows, dim = head.weight.shape
    return (
        f"{name} is tied to a table of {rows} × {dim} that the model does not hold; set {name}.embedding to the "
        f"embedding of the model ({_tables(model)})"
    )


def _tables(model: nn.Module) -> str:
    """The names and sizes of the embeddings in a model."""
    found = [(name, module) for name, module in model.named_modules() if isinstance(module, nn.Embedding)]
    return (
        ", ".join(f"{name}: {len(module.weight)} × {module.weight.shape[1]}" for name, module in found) or "it has none"
    )
