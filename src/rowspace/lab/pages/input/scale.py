"""The Input page: how long rows are next to positions, and what multiplying them by √d does about it."""

import numpy as np

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
from rowspace.lab.shared.sentence import known_sentence

__all__ = ["scale"]


@needs_torch
def scale(lab: Lab, query: Query) -> Reply:
    """`text`, `rows`, `position`, `start`, `scale` s → norms of rows times s, next to the norm of a position.

    `rows`: the table's, or "drawn", 1000 rows of N(0, 1/d) of any dimension `dim`. `token_norms` (101,) are the mean
    row's at `scales` (101,) from 1 to 2√d; `norms` (n,) are those of the text's own rows, unscaled.
    """
    sentence = known_sentence(lab, query)
    source = query.choice("rows", ("table", "drawn"))
    dim = query.integer("dim", 512, low=1, high=WIDEST) if source == "drawn" else lab.table.dim
    kind = query.choice("position", KINDS, default_kind(dim))
    start = query.integer("start", 0, low=0, high=POSITIONS - 1)
    root = float(np.sqrt(dim))
    factor = query.number("scale", 1.0, low=0.0, high=max(200.0, 2 * root))
    token_norm = _mean_norm(lab, source, dim)
    position_norm = _position_norm(kind, dim, start)
    scales = np.linspace(1, 2 * root, 101)
    with np.errstate(divide="ignore", invalid="ignore"):
        balance = float(np.divide(position_norm, token_norm))
        ratio = float(np.divide(position_norm, token_norm * factor))
    facts = {
        "rows": source,
        "position": kind,
        "dim": dim,
        "start": start,
        "scale": factor,
        "token_norm": token_norm,
        "position_norm": position_norm,
        "ratio": ratio,
        "balance": balance,
        "root": root,
        "code": _code(sentence.code, source, kind, dim, start, factor),
    }
    arrays = {"norms": lab.table.norms[sentence.ids], "scales": scales, "token_norms": token_norm * scales}
    return Reply(sentence.meta | facts, **arrays)


def _mean_norm(lab: Lab, source: str, dim: int) -> float:
    """The mean norm of the table's rows, those that are finite, or of rows drawn from N(0, 1/d)."""
    if source == "table":
        finite = lab.table.norms[np.isfinite(lab.table.norms)]
        return float(finite.sum() / max(len(finite), 1))
    import torch

    drawn = torch.randn(1000, dim, generator=torch.Generator().manual_seed(0)) / dim**0.5
    return float(drawn.norm(dim=1).mean())


def _position_norm(kind: str, dim: int, start: int) -> float:
    """The norm of the row of position `start`."""
    import torch

    positions = position_module(kind, dim)
    return float(positions(torch.zeros(1, 1), start=start).norm().item())


_MEAN = {
    "table": "finite = table.norms[np.isfinite(table.norms)]\ntoken_norm = finite.sum() / max(len(finite), 1)",
    "drawn": (
        "drawn = torch.randn(1000, {dim}, generator=torch.Generator().manual_seed(0)) / {dim}**0.5\n"
        "token_norm = drawn.norm(dim=1).mean().item()"
    ),
}


def _code(setup: str, source: str, kind: str, dim: int, start: int, scale: float) -> str:
    return (
        f"{setup}\nnorms = table.norms[ids]\n\n"
        f"import numpy as np\nimport torch\nfrom rowspace.layers import {CLASSES[kind]}\n\n"
        f"{_MEAN[source].format(dim=dim)}\n"
        f"{position_code(kind, 'positions', str(dim))}\n"
        f"position_norm = positions(torch.zeros(1, 1), start={start}).norm().item()\n"
        f"root, scale = {dim}**0.5, {scale}\n"
        "scales = np.linspace(1, 2 * root, 101)\ntoken_norms = token_norm * scales\n"
        "with np.errstate(divide='ignore', invalid='ignore'):  # rows without a length\n"
        "    balance = np.divide(position_norm, token_norm)  # the scale at which both norms are equal\n"
        "    ratio = np.divide(position_norm, token_norm * scale)"
    )
