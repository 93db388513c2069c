"""Claims about how positions enter, and about tied tables beside grouped queries. They need PyTorch."""

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from rowspace.layers import (
    CATALOGUE,
    Alibi,
    RelativeBias,
    RotaryPosition,
    TiedHead,
    TokenEmbedding,
    bloom,
    gpt2,
    llama,
    relative_scores,
    t5,
    transformer,
)
from rowspace_lab.lessons.computed.claims.verdict import Verdict
from rowspace_lab.pages.training.text import train_figure
from rowspace_lab.pages.training.variants import BASE

__all__ = ["SCHEMES", "adding_enough", "adding_enough_numbers", "one_addition", "tied_grouped"]

SCHEMES = ("none", "learned", "sinusoid", "rotary", "alibi")
ADDED = ("learned", "sinusoid")


def one_addition_figure(*, dim: int, places: int, seed: int) -> Mapping[str, Any]:
    """Read one token many times with the input of five models, and compare its vectors and its scores at all places."""
    torch.manual_seed(seed)
    inputs: Mapping[str, Any] = {
        "learned rows": gpt2(10, dim, dropout=0),
        "sinusoids": transformer(10, dim, dropout=0),
        "rotary": llama(10, dim),
        "ALiBi": bloom(10, dim, num_heads=8),
        "T5 bias": t5(10, dim, num_heads=8, dropout=0),
    }
    added = {}
    for name, embed in inputs.items():
        with torch.no_grad():
            vectors = embed(torch.full((1, places), 7))[0]  # (places, d)
        added[name] = float((vectors - vectors[0]).norm(dim=1).mean() / vectors[0].norm())
    query, key = torch.randn(2, 8, 8, generator=torch.Generator().manual_seed(seed))  # (heads, d_k) each
    schemes: list[Any] = [RotaryPosition(8), Alibi(8), RelativeBias(8)]
    spreads = [float(relative_scores(each, query, key, length=places).scores.std(dim=1).mean()) for each in schemes]
    users = Counter(model.position_scheme for model in CATALOGUE.values() if model.num_embeddings)
    return {
        "learned": added["learned rows"],
        "sinusoid": added["sinusoids"],
        "rotary": added["rotary"],
        "alibi": added["ALiBi"],
        "bias": added["T5 bias"],
        "rotary_scores": spreads[0],
        "alibi_scores": spreads[1],
        "bias_scores": spreads[2],
        "places": places,
        "models": users.total(),
        "adding": users["learned"],
        "others": users.total() - users["learned"],
        "verdict": one_addition_verdict(changes=list(added.values()), spreads=spreads),
        "bars": {f"change of the input, {name}": change for name, change in added.items()},
    }


def one_addition_verdict(*, changes: Sequence[float], spreads: Sequence[float]) -> Verdict:
    """True if each model gives a token other vectors at other places.

    False if some give it the same one although their scores depend on the distance; it depends if the scores do not.
    """
    if all(change > 0 for change in changes):
        return "true"
    return "false" if all(spread > 0 for spread in spreads) else "it depends"


def bits_of(scheme: str, *, seed: int, steps: int) -> float:
    """Train a small model on Python's help with a scheme of positions, and measure held-out bits per byte.

    Sinusoids are much longer than initial rows, so their model scales its rows, as the first Transformer did.
    """
    scaled = {"scaled": True, "init_std": BASE["dim"] ** -0.5} if scheme == "sinusoid" else {}
    own = {"positions": scheme, "seed": seed, "steps": steps, "evaluate": steps, "sample": 0, "watch": ()}
    with tempfile.TemporaryDirectory() as folder:
        run: Any = train_figure(output=f"{folder}/run", options={**BASE, **scaled, **own}, replaced=None)
        return float(run.bits_per_byte)


def adding_enough_figure(*, schemes: Sequence[str], seeds: Sequence[int], steps: int) -> Mapping[str, Any]:
    """Train models with each scheme of positions and each seed, and compare added positions with the others."""
    bits = np.array([[bits_of(scheme, seed=seed, steps=steps) for seed in seeds] for scheme in schemes])
    return adding_enough_numbers(bits, schemes=schemes, steps=steps)


def adding_enough_numbers(bits: Any, *, schemes: Sequence[str], steps: int) -> Mapping[str, Any]:
    """Compare the better of the added schemes with the best of the others; `bits` is (schemes, seeds)."""
    means = dict(zip(schemes, bits.mean(1).tolist(), strict=True))
    best = min(ADDED, key=lambda scheme: means[scheme])
    other = min((scheme for scheme in schemes if scheme not in {*ADDED, "none"}), key=lambda scheme: means[scheme])
    changes = bits[list(schemes).index(other)] / bits[list(schemes).index(best)] - 1
    change, noise = float(changes.mean()), float(changes.std(ddof=1) / len(changes) ** 0.5)
    return {
        **means,
        "bits": bits,
        "runs": bits.shape[1],
        "steps": steps,
        "best": best,
        "other": other,
        "change": change,
        "noise": noise,
        "verdict": adding_enough_verdict(change=change, noise=noise),
        "bars": {f"bits per byte, {scheme}": mean for scheme, mean in means.items()},
    }


def adding_enough_verdict(*, change: float, noise: float) -> Verdict:
    """False if the best scheme that adds nothing needs fewer bits per byte than the better one that adds; else true.

    Fewer means by more than two standard errors over the seeds.
    """
    return "false" if change < -2 * noise else "true"


def tied_grouped_figure(*, dim: int, heads: int, groups: Sequence[int], rows: int) -> Mapping[str, Any]:
    """Build the matrices of attention for several numbers of key heads, and of a tied table beside them."""
    shapes = {}
    for group in groups:
        keys = torch.nn.Linear(dim, group * (dim // heads), bias=False)
        table = TokenEmbedding(rows, dim)
        head = TiedHead(table)
        logits = head(torch.zeros(1, dim))
        shapes[group] = (tuple(keys.weight.shape), tuple(table.weight.shape), logits.shape[-1])
    grouped = {
        name: model
        for name, model in CATALOGUE.items()
        if model.num_embeddings
        and model.config.get("num_key_value_heads", 0)
        and model.config["num_key_value_heads"] < model.config.get("num_attention_heads", 0)
    }
    tied = [name for name, model in grouped.items() if model.tied]
    return {
        "dim": dim,
        "rows": rows,
        "heads": heads,
        "most": shapes[max(groups)][0][0],
        "fewest": shapes[min(groups)][0][0],
        "tables": len({shape[1:] for shape in shapes.values()}),
        "grouped": len(grouped),
        "tied": len(tied),
        "example": tied[0].split("/")[-1] if tied else "",
        "verdict": tied_grouped_verdict(tables=len({shape[1:] for shape in shapes.values()}), tied=len(tied)),
        "bars": {"models with grouped queries, tied": len(tied), "untied": len(grouped) - len(tied)},
    }


def tied_grouped_verdict(*, tables: int, tied: int) -> Verdict:
    """False if the shapes of table and head are the same for all numbers of groups, and published models tie with them.

    It depends if no published model does, and true if the shapes differ.
    """
    if tables > 1:
        return "true"
    return "false" if tied else "it depends"


one_addition = partial(one_addition_figure, dim=64, places=16, seed=0)
adding_enough = partial(adding_enough_figure, schemes=SCHEMES, seeds=[1, 2, 3], steps=300)
tied_grouped = partial(tied_grouped_figure, dim=512, heads=8, groups=[8, 4, 2, 1], rows=1000)
