"""The figures of the lesson about BERT's three tables, with the parts of the Input page. They need PyTorch."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from rowspace.layers import CATALOGUE, bert, from_checkpoint
from rowspace.table import Table
from rowspace_lab.pages.input.figures import concatenated_figure, drop_out, fill_recipe, parts_figure
from rowspace_lab.pages.input.replies import Part

NAMES: tuple[Part, ...] = ("tokens", "positions", "segments")
DRAWS = 1000


def sizes_of_bert() -> Mapping[str, int]:
    """Return the rows of BERT's tables, their width, and the weights of a map from three rows side by side to one."""
    sizes = CATALOGUE["bert-base-uncased"].cost
    dim = sizes.row_dim
    return {
        "tokens": sizes.num_embeddings,
        "positions": sizes.positions // dim,
        "segments": sizes.segments // dim,
        "dim": dim,
        "beside": 3 * dim,
        "map": 3 * dim * dim,
    }


def found_again(*, path: str) -> Mapping[str, float]:
    """Add rows of a checkpoint's tables, and return how often the nearest row of each table is the one added."""
    embed = from_checkpoint(path)
    tables = [torch.nn.functional.normalize(getattr(embed, name).weight.detach()) for name in NAMES]
    drawn = torch.Generator().manual_seed(0)
    ids = [torch.randint(len(table), (DRAWS,), generator=drawn) for table in tables]
    with torch.no_grad():
        sums = sum(getattr(embed, name).weight[rows] for name, rows in zip(NAMES, ids, strict=True))
    units = torch.nn.functional.normalize(torch.as_tensor(sums))
    right = [
        float(((units @ table.T).argmax(1) == rows).float().mean()) for table, rows in zip(tables, ids, strict=True)
    ]
    return {"draws": DRAWS, "dim": units.shape[1], **dict(zip(NAMES, right, strict=True))}


def times_ten(*, dim: int) -> float:
    """Return the largest difference that a factor of ten before LayerNorm makes after it."""
    vectors = torch.randn(100, dim, generator=torch.Generator().manual_seed(0))
    norm = torch.nn.LayerNorm(dim, eps=1e-12)
    return float((norm(10 * vectors) - norm(vectors)).detach().abs().max())


def changed_figure(
    table: Table, *, words: list[str], before: Mapping[str, int], after: Mapping[str, int]
) -> Mapping[str, int]:
    """Count the tokens whose vector changes with the position of the first token or the start of the second text."""
    ids = table.ids(words)
    embed = fill_recipe(table, ids, recipe="bert")
    vectors = [
        parts_figure(table, ids, embed, own=False, on=[*NAMES, "norm"], **each)["output"] for each in (before, after)
    ]
    return {"answer": int((vectors[0] != vectors[1]).any(axis=1).sum())}


def length_figure(*, dim: int) -> Mapping[str, float]:
    """Return the mean norm of sums of three rows, and the norm of each after a new LayerNorm."""
    embed, drawn = bert(10, dim).eval(), torch.Generator().manual_seed(0)
    for name in NAMES:
        torch.nn.init.normal_(getattr(embed, name).weight, std=0.02, generator=drawn)
    ids, segments = torch.arange(1, 10)[None], torch.tensor([[0] * 5 + [1] * 4])
    with torch.no_grad():
        sums, output = sum(embed.contributions(ids, segments).values()), embed(ids, segments)
    return {"answer": float(output.norm(dim=-1).mean()), "sum": float(torch.as_tensor(sums).norm(dim=-1).mean())}


def kept_figure(*, number: float, p: float, draws: int) -> Mapping[str, float]:
    """Apply dropout to one number many times: what it becomes if it is kept, how often it is zero, and the mean."""
    found = drop_out(np.full(draws, number, np.float32), p=p, seed=0)
    return {"answer": float(found.max()), "zeros": 100 * float((found == 0).mean()), "mean": float(found.mean())}


def apart_from_concatenation(table: Table) -> Mapping[str, Any]:
    """Return how far a sum is from a concatenation times stacked identities."""
    found = concatenated_figure(table, table.ids(table.vocabulary[:4]), position="learned", width=table.dim)
    return {"difference": found["identity"]}
