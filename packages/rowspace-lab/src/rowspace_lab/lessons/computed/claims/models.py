"""Claims about published models, measured on the catalogue of their sizes and on the recipes of their inputs."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from rowspace.layers import CATALOGUE, vit
from rowspace_lab.lessons.computed.claims.verdict import Verdict
from rowspace_lab.pages.cost.figures import widths_figure

__all__ = ["large_tied", "llama_ties", "root_law", "vit_sinusoids"]


def llama_ties_figure() -> Mapping[str, Any]:
    """List the Llama models of the catalogue with a tied head, and those with an untied one."""
    models = {name: model for name, model in CATALOGUE.items() if "llama" in name.lower()}
    tied = [name for name, model in models.items() if model.tied]
    untied = [name for name, model in models.items() if not model.tied]
    return {
        "models": len(models),
        "tied": " and ".join(tied),
        "num_tied": len(tied),
        "num_untied": len(untied),
        "examples": ", ".join(untied[:: max(1, len(untied) // 4)]),
        "verdict": llama_ties_verdict(tied=len(tied), untied=len(untied)),
        "bars": {"tied": len(tied), "untied": len(untied)},
    }


def llama_ties_verdict(*, tied: int, untied: int) -> Verdict:
    """True if all models of the family tie, false if none does."""
    return "it depends" if tied and untied else "true" if tied else "false"


def large_tied_figure(*, large: int) -> Mapping[str, Any]:
    """Count the models of the catalogue with at least `large` tokens by whether their head is tied."""
    models = {name: model for name, model in CATALOGUE.items() if model.num_embeddings >= large}
    tied = {name: model for name, model in models.items() if model.tied}
    largest = max(tied, key=lambda name: tied[name].num_embeddings, default="")
    rows = CATALOGUE[largest].num_embeddings if largest else 0
    return {
        "large": large,
        "models": len(models),
        "tied": len(tied),
        "untied": len(models) - len(tied),
        "largest": largest.split("/")[0],
        "rows": rows,
        "untied_rows": max((each.num_embeddings for name, each in models.items() if name not in tied), default=0),
        "verdict": large_tied_verdict(tied=len(tied), untied=len(models) - len(tied)),
        "bars": {"tied": len(tied), "untied": len(models) - len(tied)},
    }


def large_tied_verdict(*, tied: int, untied: int) -> Verdict:
    """False if a published model ties a large vocabulary; true if large ones are all untied."""
    if tied:
        return "false"
    return "true" if untied else "it depends"


def vit_sinusoids_figure(*, model: str) -> Mapping[str, Any]:
    """Count the parameters of the positions that a vision transformer adds to its patches."""
    config = CATALOGUE[model].config
    embed: Any = vit(config["hidden_size"], image_size=config["image_size"], patch_size=config["patch_size"])
    learned = {name: tuple(each.shape) for name, each in embed.positions.named_parameters()}
    parameters = sum(each.numel() for each in embed.positions.parameters())
    rows, dim = next(iter(learned.values()), (0, 0))
    return {
        "model": model,
        "paper": CATALOGUE[model].paper,
        "rows": rows,
        "dim": dim,
        "parameters": parameters,
        "scheme": CATALOGUE[model].position_scheme,
        "verdict": vit_sinusoids_verdict(parameters=parameters),
        "bars": {"parameters of positions": parameters, "of a sinusoid": 0},
    }


def vit_sinusoids_verdict(*, parameters: int) -> Verdict:
    """False if the positions have parameters, which sinusoids do not have."""
    return "false" if parameters else "true"


def root_law_figure(*, without: str) -> Mapping[str, Any]:
    """Fit d = c · N^slope over the catalogue's text models, with the standard error of the slope."""
    fit = widths_figure(without=without)
    used = np.asarray(fit["used"])
    sizes, dims = np.log(fit["parameters"])[used], np.log(fit["dims"])[used]
    slope, intercept = np.polyfit(sizes, dims, 1)
    rest = dims - slope * sizes - intercept
    spread = ((sizes - sizes.mean()) ** 2).sum()
    error = float(np.sqrt((rest**2).sum() / (len(rest) - 2) / spread))
    return {
        "models": len(rest),
        "slope": fit["slope"],
        "error": error,
        "with_all": fit["slope_of_all"],
        "left_out": without.upper(),
        "tenfold": 10 ** fit["slope"],
        "tenfold_root": 10**0.5,
        "verdict": root_law_verdict(slope=fit["slope"], error=error),
        "bars": {"fitted exponent": fit["slope"], "rule of thumb": 0.5},
    }


def root_law_verdict(*, slope: float, error: float) -> Verdict:
    """False if the fitted exponent differs from 0.5 by more than three standard errors."""
    return "false" if abs(slope - 0.5) > 3 * error else "true"


llama_ties = partial(llama_ties_figure)
large_tied = partial(large_tied_figure, large=100_000)
vit_sinusoids = partial(vit_sinusoids_figure, model="vit-base-patch16-224")
root_law = partial(root_law_figure, without="albert")
