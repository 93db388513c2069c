"""The Input page: positions added to the rows, or set beside them, and what each way costs.

Concatenation itself is `rowspace.layers.Concatenation`.
"""

from typing import TYPE_CHECKING

from rowspace.lab.lab import Lab
from rowspace.lab.page import needs_torch
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply
from rowspace.lab.shared.position_modules import (
    CLASSES,
    KINDS,
    POSITIONS,
    WIDEST,
    default_kind,
    position_code,
    position_module,
)
from rowspace.lab.shared.sentence import Sentence, known_sentence

if TYPE_CHECKING:
    from torch import Tensor

    from rowspace.layers import TokenEmbedding

__all__ = ["concatenation"]

_SMALL = 1024  # dimensions up to which two identity matrices are worth their memory


@needs_torch
def concatenation(lab: Lab, query: Query) -> Reply:
    """`text`, `position`, `width` w → `added` (n, d), `beside` (n, d + w), and what each way costs.

    `costs`: the sum, the parts side by side, and those with a linear map back to d. `identity`: how far the sum is from
    parts of equal width side by side, times two identity matrices on top of one another.
    """
    from rowspace.layers import Concatenation, InputEmbedding

    sentence, dim = known_sentence(lab, query), lab.table.dim
    kind = query.choice("position", KINDS, default_kind(dim))
    width = query.integer("width", min(16, dim), low=1, high=WIDEST)
    tokens, ids = _tokens(lab, sentence)
    added = InputEmbedding(tokens=tokens, positions=position_module(kind, dim))
    beside = Concatenation(tokens=tokens, positions=position_module(kind, width))
    facts = {
        "position": kind,
        "width": width,
        "costs": _costs(tokens, kind, width),
        "identity": _from_identity(tokens, kind) if dim <= _SMALL else None,
        "code": _code(sentence.code, kind, width, identity=dim <= _SMALL),
    }
    arrays = {"added": added(ids)[0].detach().numpy(), "beside": beside(ids)[0].detach().numpy()}
    return Reply(sentence.meta | facts, **arrays)


def _tokens(lab: Lab, sentence: Sentence) -> "tuple[TokenEmbedding, Tensor]":
    """The rows of the text as a table of their own, and the ids that lead to them."""
    import torch

    from rowspace.layers import TokenEmbedding

    rows = lab.table[sentence.ids]
    tokens = TokenEmbedding(*rows.shape)
    with torch.no_grad():
        tokens.weight.copy_(torch.from_numpy(rows))
    return tokens, torch.arange(len(rows))[None]


def _costs(tokens: "TokenEmbedding", kind: str, width: int) -> list[dict[str, object]]:
    """For each way: its width, what it has to learn, its operations for a token, and a square matrix behind it."""
    import torch

    from rowspace.layers import Concatenation, LearnedPosition

    dim = tokens.embedding_dim
    with torch.device("meta"):  # sizes alone
        beside = Concatenation(dim, tokens=tokens, positions=LearnedPosition(POSITIONS, width))
    mapped = beside.get_parameter("projection.weight").numel()
    ways = [
        ("added", dim, dim, 0, dim),
        ("beside", dim + width, width, 0, 0),
        ("mapped", dim, width, mapped, beside.flops_per_token),
    ]
    return [
        {
            "way": way,
            "width": whole,
            "position_parameters": POSITIONS * place if kind == "learned" else 0,
            "parameters": parameters,
            "operations": operations,
            "layer": whole**2,
        }
        for way, whole, place, parameters, operations in ways
    ]


def _from_identity(tokens: "TokenEmbedding", kind: str) -> float:
    """How far parts of equal width side by side, times two identity matrices, are from their sum."""
    import torch

    from rowspace.layers import Concatenation, InputEmbedding

    dim, ids = tokens.embedding_dim, torch.arange(tokens.num_embeddings)[None]
    positions = position_module(kind, dim)
    beside = Concatenation(dim, tokens=tokens, positions=positions)
    with torch.no_grad():
        beside.get_parameter("projection.weight").copy_(torch.eye(dim).repeat(1, 2))
        apart = beside(ids) - InputEmbedding(tokens=tokens, positions=positions)(ids)
    return float(apart.abs().max())


def _code(setup: str, kind: str, width: int, *, identity: bool) -> str:
    return (
        f"{setup}\nrows = table[ids]\n\nimport torch\n"
        f"from rowspace.layers import Concatenation, InputEmbedding, {CLASSES[kind]}, TokenEmbedding\n\n"
        "tokens = TokenEmbedding(*rows.shape)\n"
        f"{position_code(kind, 'equal', 'table.dim')}\n{position_code(kind, 'narrow', str(width))}\n"
        "places = torch.arange(len(ids))[None]\n"
        "with torch.no_grad():\n"
        "    tokens.weight.copy_(torch.from_numpy(rows))\n"
        "    added = InputEmbedding(tokens=tokens, positions=equal)(places)[0]\n"
        "    beside = Concatenation(tokens=tokens, positions=narrow)(places)[0]\n"
        "mapped = Concatenation(table.dim, tokens=tokens, positions=narrow)  # and a linear map back to d\n\n"
        "# Of each way: its width, the width of its positions, parameters and operations for a token.\n"
        f"ways = {{'added': (table.dim, table.dim, 0, table.dim), 'beside': (table.dim + {width}, {width}, 0, 0)}}\n"
        f"ways['mapped'] = (table.dim, {width}, mapped.projection.weight.numel(), mapped.flops_per_token)\n"
        f"learned = {POSITIONS if kind == 'learned' else 0}  # rows of positions that have to be learned\n"
        "costs = [\n"
        "    {'way': way, 'width': whole, 'position_parameters': learned * own, 'parameters': parameters, "
        "'operations': operations, 'layer': whole**2}\n"
        "    for way, (whole, own, parameters, operations) in ways.items()\n"
        "]" + (_IDENTITY if identity else "")
    )


_IDENTITY = """

# Parts of equal width side by side, times two identity matrices on top of one another, are their sum.
squares = Concatenation(table.dim, tokens=tokens, positions=equal)
with torch.no_grad():
    squares.projection.weight.copy_(torch.eye(table.dim).repeat(1, 2))
    identity = float((squares(places) - InputEmbedding(tokens=tokens, positions=equal)(places)).abs().max())"""
