"""The figures of the Cost page that need PyTorch."""

import numpy as np

from rowspace.lab.pages.cost.replies import Costs, Models
from rowspace.layers import CATALOGUE, cost
from rowspace.layers.cost.counts import Optimizer
from rowspace.table import Table

DTYPES = ["float32", "bfloat16", "float16", "int8", "int4"]


def costs_figure(
    *, vocabulary: int, dimension: int, dtype: str, optimizer: Optimizer, tied: bool, tokens: int
) -> Costs:
    """Compute parameters, bytes and operations of a table and its head for a number of tokens."""
    found = cost({"vocab_size": vocabulary, "hidden_size": dimension, "tie_word_embeddings": tied})
    training, moved = [found.bytes[dtype]], []
    if not dtype.startswith("int"):  # no training in int8 and int4
        training = list(found.training_bytes(optimizer, dtype=dtype))
        moved = [found.lookup_bytes(tokens, dtype=dtype)]
    operations = found.head_flops(tokens)
    return {
        "dtypes": DTYPES,
        "values": np.array([found.num_parameters, *training, *moved, 0, operations], np.float64),
        "parameters": np.array([found.tokens, found.head]),
        "training": np.array(training),
        "by_dtype": np.array([found.bytes[name] for name in DTYPES]),
        "operations": np.array([operations], np.float64),  # may exceed int64
        "moved": np.array(moved, np.int64),
    }


def models_figure(table: Table) -> Models:
    """Return the sizes of the tables of published text models and of the open table."""
    models = {name: model for name, model in CATALOGUE.items() if model.num_embeddings}
    costs = [model.cost for model in models.values()]
    return {
        "models": [
            {"name": name, "tied": model.tied, "paper": model.paper, "source": model.source}
            for name, model in models.items()
        ],
        "table": {"vocabulary": len(table), "dimension": table.dim, "dtype": str(table.rows.dtype)},
        "vocabulary": np.array([cost.num_embeddings for cost in costs]),
        "dimension": np.array([cost.row_dim for cost in costs]),
        "parameters": np.array([cost.num_parameters for cost in costs]),
        "whole": np.array([model.parameters for model in models.values()]),
        "share": np.array([np.nan if cost.share is None else cost.share for cost in costs]),
    }
