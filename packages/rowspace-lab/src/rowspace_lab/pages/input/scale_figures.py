"""The figures of the Input page about the scale of rows and positions. They need PyTorch."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rowspace import layers
from rowspace.layers import InputEmbedding
from rowspace.table import Table
from rowspace_lab.pages.input.replies import Norms, Recipes, RecipeScale
from rowspace_lab.shared.position_modules import position_module

Ids = NDArray[np.int64]

SCALES = np.geomspace(0.01, 100, 41)
EXAMPLE = [0.3, -0.5, 0.2, 0.4]
POSITIONS = 64  # whose vectors of one token are compared
NUMBERS = 1 << 19  # tokens times positions times dimensions


def table_rows(table: Table) -> Tensor:
    """Return up to 1,000 finite rows of the table, evenly spaced, (n, d)."""
    finite = np.flatnonzero(np.isfinite(table.norms))
    picked = finite[np.linspace(0, len(finite) - 1, min(1000, len(finite))).astype(np.int64)]
    return torch.tensor(table[picked], dtype=torch.float64)


def drawn_rows(*, dim: int) -> Tensor:
    """Draw 1,000 rows from N(0, 1/d)."""
    drawn = torch.randn(1000, dim, generator=torch.Generator().manual_seed(0)).double()
    return drawn.div(dim**0.5)


def example_rows() -> Tensor:
    """Return a single row of 4 numbers, (1, 4)."""
    return torch.tensor([EXAMPLE], dtype=torch.float64)


def mean_cosine(vectors: Tensor) -> float | None:
    """Return the mean cosine of all pairs of vectors (..., n, d); None without two vectors other than 0."""
    count = vectors.shape[-2]
    units = torch.nn.functional.normalize(vectors, dim=-1)
    if count < 2 or not bool(units.any()):
        return None
    pairs = units.sum(-2).square().sum(-1) - units.square().sum((-2, -1))
    return float((pairs / (count * (count - 1))).mean())


def alike(rows: Tensor, places: Tensor, *, start: int, scale: float) -> tuple[float | None, float | None]:
    """Return the mean cosine of different tokens at one position, and that of one token at two of 64 positions."""
    few = rows[: max(2, NUMBERS // places[:POSITIONS].numel())]
    tokens = mean_cosine(scale * rows[:200] + places[start])
    return tokens, mean_cosine(scale * few[:, None] + places[:POSITIONS])


def cosine(one: Tensor, other: Tensor) -> float:
    """Return the cosine of two vectors."""
    return float(torch.cosine_similarity(one, other, dim=0))


def mean_norm(table: Table) -> float:
    """Return the mean norm of the table's finite rows."""
    finite = table.norms[np.isfinite(table.norms)]
    return float(finite.sum() / max(len(finite), 1))


def norm_of(rows: Tensor) -> float:
    """Return the mean norm of the rows."""
    return float(rows.norm(dim=1).mean())


def place_rows(kind: str, *, count: int, dim: int) -> Tensor:
    """Return the rows of the first positions, (count, d)."""
    rows: Tensor = position_module(kind, dim)(torch.zeros(1, count)).detach()
    return rows.reshape(count, dim).double()


def text_row(table: Table, ids: Ids, *, at: int) -> Tensor:
    """Return the row of one token of the text, (d,)."""
    return torch.tensor(table[ids][at], dtype=torch.float64)


def first_row(rows: Tensor) -> Tensor:
    """Return the first of the rows, (d,)."""
    return rows[0]


def alike_curve(rows: Tensor, *, position: str, start: int) -> NDArray[np.float64]:
    """Return what `alike` returns for all of `SCALES`, (41, 2)."""
    places = place_rows(position, count=max(POSITIONS, start + 1), dim=rows.shape[1])
    return np.array([alike(rows, places, start=start, scale=each) for each in SCALES], dtype=np.float64)


def norms_figure(
    rows: Tensor, row: Tensor, token_norm: float, curve: NDArray[np.float64], *, position: str, start: int, scale: float
) -> Norms:
    """Compare scaled rows with positions: their norms, the sum for one row, and whether the sums are alike."""
    dim = rows.shape[1]
    places = place_rows(position, count=max(POSITIONS, start + 1), dim=dim)
    scaled, place = row * scale, places[start]
    position_norm = float(place.norm())
    tokens, positions = alike(rows, places, start=start, scale=scale)
    return {
        "scales": SCALES,
        "token_norms": token_norm * SCALES,
        "token_norm": token_norm,
        "position_norm": position_norm,
        "ratio": position_norm / (token_norm * scale) if token_norm * scale > 0 else None,
        "balance": position_norm / token_norm if token_norm > 0 else None,
        "root": dim**0.5,
        "parts": torch.stack([scaled, place, scaled + place]).numpy(),
        "cosine_row": cosine(scaled + place, scaled),
        "cosine_position": cosine(scaled + place, place),
        "alike_tokens": tokens,
        "alike_positions": positions,
        "alike": curve,
    }


def recipes_figure(*, names: tuple[str, ...]) -> Recipes:
    """Return the factor of the token rows of each recipe, and what it does with positions."""
    return {"recipes": [recipe_scale(name) for name in names]}


def recipe_scale(name: str) -> RecipeScale:
    """Read the factor and the positions of a recipe from its modules, which are built without weights."""
    with torch.device("meta"):
        embed: InputEmbedding = getattr(layers, name)(60_000)
    kinds = {"rotary": "rotary", "alibi": "alibi", "relative_bias": "relative"}
    kind = next((kind for attribute, kind in kinds.items() if hasattr(embed, attribute)), "none")
    if hasattr(embed, "positions"):
        kind = "learned" if hasattr(embed.positions, "weight") else "sinusoid"
    return {"name": name, "scaled": embed.tokens.scale is not None, "positions": kind}
