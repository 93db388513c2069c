"""Claims about positions: their scale relative to tokens, and attention without them. They need PyTorch."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lessons.computed.claims.verdict import Verdict
from rowspace_lab.pages.input.scale_figures import alike, drawn_rows, norm_of, place_rows
from rowspace_lab.pages.order.figures import attend, largest_difference
from rowspace_lab.pages.order.heads import drawn_head
from rowspace_lab.shared.default_words import default_words

__all__ = ["drowning", "equal_norms", "invariance"]


def mean_cosine_to(vectors: Tensor, others: Tensor) -> float:
    """Return the mean cosine of each vector and its other one."""
    return float(cosine_similarity(vectors, others, dim=-1).mean())


def drowning_figure(*, dim: int, start: int) -> Mapping[str, Any]:
    """Add a sinusoid to 1,000 rows drawn from N(0, 1/d), and see which of the two the sum is like."""
    rows = drawn_rows(dim=dim)
    places = place_rows("sinusoid", count=64, dim=dim)
    sums = rows + places[start]
    token, position = norm_of(rows), float(places[start].norm())
    tokens, positions = alike(rows, places, start=start, scale=1)
    return {
        "dim": dim,
        "token": token,
        "position": position,
        "ratio": position / token,
        "cosine_token": mean_cosine_to(sums, rows),
        "cosine_position": mean_cosine_to(sums, places[start].expand_as(sums)),
        "tokens_alike": tokens,
        "positions_alike": positions,
        "verdict": drowning_verdict(token=token, position=position),
        "bars": {"norm of the token": token, "norm of the position": position},
    }


def drowning_verdict(*, token: float, position: float) -> Verdict:
    """True if the token's vector is more than twice as long as the position's, false in the opposite case."""
    if token > 2 * position:
        return "true"
    return "false" if position > 2 * token else "it depends"


def equal_norms_figure(*, dims: Sequence[int]) -> Mapping[str, Any]:
    """Multiply drawn rows by √d, and compare their norm with that of a sinusoid, for several d."""
    ratios, norms = {}, []
    for dim in dims:
        token = norm_of(drawn_rows(dim=dim)) * dim**0.5
        position = float(place_rows("sinusoid", count=2, dim=dim)[1].norm())
        norms.append((token, position))
        ratios[f"d = {dim}"] = token / position
    widest = dims[-1]
    return {
        "dim": widest,
        "token": norms[-1][0],
        "position": norms[-1][1],
        "ratio": norms[-1][0] / norms[-1][1],
        "root": widest**0.5,
        "equal": (widest / 2) ** 0.5,
        "verdict": equal_norms_verdict(ratios=list(ratios.values())),
        "bars": ratios,
    }


def equal_norms_verdict(*, ratios: Sequence[float]) -> Verdict:
    """True if the norms differ by at most 5% at every d, false if they differ by more at every d."""
    apart = [abs(ratio - 1) > 0.05 for ratio in ratios]
    return "it depends" if any(apart) and not all(apart) else "false" if any(apart) else "true"


def invariance_figure(table: Table, *, words: int, max_dim: int, seed: int) -> Mapping[str, Any]:
    """Attend to words in order and in reverse, without positions, and compare places, tokens and the mean."""
    chosen = default_words(table, words)
    ids = table.ids(chosen)
    if len(ids) < 2 or not all(table.norms[ids] < float("inf")):
        raise UsageError("at least two words with finite rows are needed to put them in another order")
    if (table[ids] == table[ids][0]).all():
        raise UsageError("all words of the table have the same row, so that their order cannot be seen")
    rows, order = torch.tensor(table[ids]), torch.arange(len(ids)).flip(0)
    head = drawn_head(table, head_dim=min(max_dim, max(2, table.dim // 2 * 2)), seed=seed)
    outputs, reversed_ = (attend(each, head, scheme="none", causal=False)["outputs"] for each in (rows, rows[order]))
    by_place = float((reversed_ - outputs).abs().max())
    by_token = largest_difference(rows, head, order, scheme="none", causal=False)
    causal = largest_difference(rows, head, order, scheme="none", causal=True)
    return {
        "words": " ".join(chosen),
        "by_place": by_place,
        "by_token": by_token,
        "mean": float((reversed_.mean(0) - outputs.mean(0)).abs().max()),
        "causal": causal,
        "verdict": invariance_verdict(by_place=by_place, by_token=by_token),
        "bars": {"same place": by_place, "same token": by_token, "same token, causal mask": causal},
    }


def invariance_verdict(*, by_place: float, by_token: float) -> Verdict:
    """True if the output at each place stays the same, false if it moves along with its token."""
    if by_place < 1e-6:
        return "true"
    return "false" if by_token < 1e-6 else "it depends"


drowning = partial(drowning_figure, dim=512, start=5)
equal_norms = partial(equal_norms_figure, dims=[64, 128, 256, 512])
invariance = partial(invariance_figure, words=4, max_dim=64, seed=0)
