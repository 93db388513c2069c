"""The tables that an opened checkpoint adds up: their sizes, and the angle between token and position rows."""

import numpy as np
import torch
from torch import nn

from rowspace.layers import from_checkpoint
from rowspace_lab.pages.input.replies import OwnTable, OwnTables, Part

MAX_ROWS = 5000  # token rows


def own_input(*, path: str) -> nn.Module:
    """Read the input of a checkpoint."""
    return from_checkpoint(path)


def own_tables_figure(*, path: str) -> OwnTables:
    """Measure the tables of a checkpoint, and the mean |cosine| of its token rows with its position rows."""
    embed = from_checkpoint(path)
    parts: tuple[Part, ...] = ("tokens", "segments", "positions")
    names = [name for name in parts if hasattr(getattr(embed, name, None), "weight")]
    weights = {name: getattr(embed, name).weight.detach().float() for name in names}
    tables: list[OwnTable] = [
        {
            "name": name,
            "rows": len(weight),
            "parameters": weight.numel(),
            "mean_norm": float(weight.norm(dim=1).mean()),
        }
        for name, weight in weights.items()
    ]
    dim = weights["tokens"].shape[1]
    angle = None
    if "positions" in weights:
        every = np.linspace(0, len(weights["tokens"]) - 1, min(MAX_ROWS, len(weights["tokens"]))).astype(np.int64)
        tokens = nn.functional.normalize(weights["tokens"][torch.from_numpy(every)])
        angle = float((tokens @ nn.functional.normalize(weights["positions"]).T).abs().mean())
    # The mean |cosine| of random directions, for large d.
    return {"tables": tables, "width": dim, "cosine": angle, "chance": (2 / (np.pi * dim)) ** 0.5}
