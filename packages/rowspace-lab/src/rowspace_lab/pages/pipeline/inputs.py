"""The input matrix X of a text, as known models compute it from rows. This module needs PyTorch."""

from rowspace import layers  # isort: skip  # first, for its MissingExtraError
import numpy as np
import torch

from rowspace.layers import InputEmbedding, TokenEmbedding
from rowspace.table import Table
from rowspace_lab.pages.pipeline.figures import Array, Ids
from rowspace_lab.pages.pipeline.replies import Matrix, Recipe


def make_recipe(table: Table, ids: Ids, *, recipe: Recipe) -> InputEmbedding:
    """Build a recipe whose token ids 2, 3, ... have the rows of `ids`; its other weights are random, from a seed."""
    name, options = ("transformer", {"scaled": False}) if recipe == "plain" else (recipe, {})
    embed: InputEmbedding = getattr(layers, name)(len(ids) + 2, embedding_dim=table.dim, **options)
    drawn = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, weight in embed.named_parameters():
            if "norm" not in name:
                torch.nn.init.normal_(weight, std=0.02, generator=drawn)
        embed.tokens.weight[2:] = torch.from_numpy(table[ids])  # ids 0 and 1 are for padding
    return embed.eval()


def mean_norm(vectors: Array) -> float:
    """Return the mean norm of vectors (n, d); 0 if there are none."""
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1)
    return float(norms.sum() / max(len(norms), 1))


def share(part: float, whole: float) -> float | None:
    """Divide two norms; None if the second is zero."""
    return part / whole if whole else None


def matrix_figure(table: Table, ids: Ids, embed: InputEmbedding) -> Matrix:
    """Compute X and its parts, and compare their norms."""
    places = torch.arange(2, len(ids) + 2)[None]
    with torch.no_grad():
        parts = [part[0].numpy() for part in embed.contributions(places).values()]
        X = embed(places)[0].numpy()
    rows, added = table[ids], sum(parts[1:], np.zeros_like(parts[0]))
    ones = TokenEmbedding(1, table.dim, scale=embed.tokens.scale)
    torch.nn.init.ones_(ones.weight)
    token_norm, position_norm = mean_norm(parts[0]), mean_norm(added)
    return {
        "rows": rows,
        "scaled": parts[0],
        "positions": added,
        "X": X,
        "scale": ones(torch.zeros(1, dtype=torch.long))[0, 0].item(),
        "token_norm": token_norm,
        "position_norm": position_norm,
        "ratio": share(position_norm, token_norm),
        "unscaled_ratio": share(position_norm, mean_norm(rows)),
    }
