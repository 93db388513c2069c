"""The figures of lesson 12 about published models, which need PyTorch. Sizes are those of the Cost page."""

from collections.abc import Mapping
from typing import Any

from rowspace.layers import CATALOGUE, cost
from rowspace_lab.experiments.arena.strategies import STRATEGIES
from rowspace_lab.lessons.source.values import quantity


def model_size(*, model: str) -> dict[str, Any]:
    """Return V, d, the parameters of the token table and of all, and the operations of the head for one token."""
    found = CATALOGUE[model]
    sizes = found.cost
    return {
        "rows": sizes.num_embeddings,
        "dim": sizes.row_dim,
        "hidden": sizes.hidden_dim,
        "table": sizes.tokens,
        "mib": 2 * sizes.tokens / 2**20,
        "projection": sizes.projection,
        "full": sizes.num_embeddings * sizes.hidden_dim,
        "operations": sizes.head_flops() / 1e6,
        "share": sizes.tokens / found.parameters,
        "with_positions": (sizes.tokens + sizes.positions) / found.parameters,
    }


def mebibytes_figure(*, rows: int, dim: int, dtype: str) -> Mapping[str, Any]:
    """Compute the parameters, bytes and MiB of a table."""
    found = cost({"vocab_size": rows, "hidden_size": dim})
    size = found.bytes[dtype]
    return {"answer": size / 2**20, "parameters": f"{found.tokens:,}", "bytes": f"{size:,}"}


def share_figure(*, model: str) -> Mapping[str, Any]:
    """Return the share of the token table in all parameters of a model, in percent."""
    found = CATALOGUE[model]
    table = found.cost.tokens
    sizes = {
        "all": quantity(found.parameters),
        "rows": f"{found.num_embeddings:,}",
        "dim": f"{found.cost.row_dim:,}",
        "V": found.num_embeddings,
        "d": found.cost.row_dim,
    }
    return {"answer": 100 * table / found.parameters, "table": quantity(table), "sizes": sizes}


def strategy_size(*, name: str) -> Mapping[str, float]:
    """Return V or the side of a patch, d, and the millions of parameters of a strategy's input, with an untied head."""
    strategy = STRATEGIES[name]
    parameters = strategy.full_size * strategy.full_dim * (1 if strategy.tied else 2)
    if strategy.is_patches:
        parameters = (3 * strategy.full_size**2 + 1) * strategy.full_dim
    return {"size": strategy.full_size, "dim": strategy.full_dim, "millions": parameters / 1e6}
