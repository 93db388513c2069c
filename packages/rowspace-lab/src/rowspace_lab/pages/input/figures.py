"""The figures of the Input page. They need PyTorch."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from rowspace import layers
from rowspace.layers import Concatenation, InputEmbedding, LearnedPosition, TokenEmbedding
from rowspace.table import Table
from rowspace_lab.pages.input.replies import Concatenated, Part, Parts, WayCost
from rowspace_lab.shared.figure import Array
from rowspace_lab.shared.position_modules import position_module

Ids = NDArray[np.int64]


def part_names(embed: InputEmbedding) -> list[Part]:
    """Return the names of the embeddings that a recipe adds up, in order."""
    names: tuple[Part, ...] = ("tokens", "segments", "positions")
    return [name for name in names if hasattr(embed, name)]


def parts_with_weights(embed: InputEmbedding) -> list[Part]:
    """Return the parts, other than tokens, that have a weight; these weights are random here."""
    return [name for name in part_names(embed)[1:] if hasattr(getattr(embed, name), "weight")]


def has_two_segments(embed: InputEmbedding) -> bool:
    """Return whether tokens can belong to a second segment."""
    return hasattr(embed, "segments") and embed.segments.num_embeddings > 1


def fill_recipe(table: Table, ids: Ids, *, recipe: str) -> InputEmbedding:
    """Build a recipe whose token ids 2, 3, ... have the rows of `ids`, with random weights for its other tables."""
    rows, width = table[ids], "inner_dim" if recipe == "albert" else "embedding_dim"
    padding = {"padding_idx": 0} if recipe == "modernbert" else {}  # its default id exceeds this vocabulary
    embed: InputEmbedding = getattr(layers, recipe)(len(ids) + 2, **{width: table.dim}, **padding).eval()
    drawn = torch.Generator().manual_seed(0)
    with torch.no_grad():
        embed.tokens.weight[2:] = torch.from_numpy(rows)  # ids 0 and 1 are for padding
        for name in parts_with_weights(embed):
            torch.nn.init.normal_(getattr(embed, name).weight, std=0.02, generator=drawn)
    return embed


def parts_figure(
    table: Table,
    ids: Ids,
    embed: InputEmbedding,
    *,
    own: bool,
    start: int,
    second: int,
    on: Sequence[Part | Literal["norm"]],
    dropout: int | None = None,
) -> Parts:
    """Compute the contribution of each part to the tokens, and the sum of the parts in `on`.

    `own`: the embedding has the ids of the table. The first token is at position `start`, and the second segment begins
    at token `second`. The recipe's norm follows if `on` has "norm", and its dropout if that has a seed.
    """
    places = torch.from_numpy(ids)[None] if own else torch.arange(2, len(ids) + 2)[None]
    segments = (torch.arange(len(ids)) >= second).long()[None] if has_two_segments(embed) else None
    found = embed.contributions(places, segments, start=start)
    contributions = np.stack([rows[0].detach().float().numpy() for rows in found.values()])
    total = contributions[[part in on for part in found]].sum(0)
    figure: Parts = {
        "parts": part_names(embed),
        "rows": table[ids],
        "contributions": contributions,
        "total": total,
    }
    if embed.norm is not None and "norm" in on:
        figure["output"] = embed.norm.float()(torch.from_numpy(total)).detach().numpy()
    if embed.dropout.p and dropout is not None:
        figure["dropped"] = drop_out(figure.get("output", total), p=embed.dropout.p, seed=dropout)
    return figure


def drop_out(vectors: Array, *, p: float, seed: int) -> Array:
    """Set each number to zero with probability p and divide the others by 1 − p, as dropout does in training."""
    drawn = torch.rand(vectors.shape, generator=torch.Generator().manual_seed(seed)).numpy()
    return np.where(drawn < p, np.float32(0), vectors / np.float32(1 - p))


def embed_rows(table: Table, ids: Ids) -> TokenEmbedding:
    """Create an embedding with the rows of `ids`."""
    tokens = TokenEmbedding(len(ids), table.dim)
    with torch.no_grad():
        tokens.weight.copy_(torch.from_numpy(table[ids]))
    return tokens


def cost_ways(tokens: TokenEmbedding, *, position: str, width: int) -> list[WayCost]:
    """Compute the costs of adding positions, concatenating them, and concatenating with a projection."""
    dim = tokens.embedding_dim
    with torch.device("meta"):  # without allocating weights
        mapped = Concatenation(dim, tokens=tokens, positions=LearnedPosition(512, width))
    numbers = mapped.get_parameter("projection.weight").numel()
    rows = 512 if position == "learned" else 0
    return [
        cost_way("added", dim, rows * dim, 0, dim),
        cost_way("concatenated", dim + width, rows * width, 0, 0),
        cost_way("mapped", dim, rows * width, numbers, mapped.flops_per_token),
    ]


def cost_way(way: Any, width: int, position_parameters: int, parameters: int, operations: int) -> WayCost:
    """Return the costs of one way; `layer` is the size of a square matrix that follows it."""
    return {
        "way": way,
        "width": width,
        "position_parameters": position_parameters,
        "parameters": parameters,
        "operations": operations,
        "layer": width**2,
    }


def identity_difference(tokens: TokenEmbedding, *, position: str) -> float:
    """Return the largest difference between a sum and a concatenation times two stacked identity matrices."""
    dim, places = tokens.embedding_dim, torch.arange(tokens.num_embeddings)[None]
    positions = position_module(position, dim)
    concatenation = Concatenation(dim, tokens=tokens, positions=positions)
    with torch.no_grad():
        concatenation.get_parameter("projection.weight").copy_(torch.eye(dim).repeat(1, 2))
        apart = concatenation(places) - InputEmbedding(tokens=tokens, positions=positions)(places)
    return float(apart.abs().max())


def concatenated_figure(table: Table, ids: Ids, *, position: str, width: int) -> Concatenated:
    """Add positions to rows, concatenate them, and compute the costs of each way."""
    tokens, places = embed_rows(table, ids), torch.arange(len(ids))[None]
    added = InputEmbedding(tokens=tokens, positions=position_module(position, table.dim))
    concatenation = Concatenation(tokens=tokens, positions=position_module(position, width))
    return {
        "added": added(places)[0].detach().numpy(),
        "concatenated": concatenation(places)[0].detach().numpy(),
        "costs": cost_ways(tokens, position=position, width=width),
        "identity": identity_difference(tokens, position=position) if table.dim <= 1024 else None,
    }
