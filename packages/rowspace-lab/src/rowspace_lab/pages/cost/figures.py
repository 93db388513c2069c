"""The figures of the Cost page that need PyTorch."""

import math
from dataclasses import replace

import numpy as np

from rowspace.layers import CATALOGUE, cost
from rowspace.layers.cost.counts import Optimizer
from rowspace.table import Table
from rowspace_lab.pages.cost.replies import Costs, Models, ModelTables, SecondTables, Widths

# Of the paper's table 2.1; the model itself was never released, so that the catalogue has no config.json of it.
GPT3 = {"model_type": "gpt2", "vocab_size": 50257, "n_positions": 2048, "n_embd": 12288, "n_layer": 96}
GPT3_PAPER = "Brown et al. 2020, arXiv:2005.14165"
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
    """Return the sizes of the tables of published text models, of GPT-3, and of the open table.

    Models with tables of n-grams are left out: BLT has a row for each byte, and its other rows are in second tables.
    """
    models = {name: model for name, model in CATALOGUE.items() if model.num_embeddings and not model.cost.ngrams}
    origins = [(name, model.paper, model.source) for name, model in models.items()]
    origins.append(("GPT-3", GPT3_PAPER, "https://arxiv.org/abs/2005.14165"))
    costs = [*(model.cost for model in models.values()), cost(GPT3)]
    totals = [*(model.parameters for model in models.values()), cost(GPT3).total]
    return {
        "models": [
            {
                "name": name,
                "tied": each.tied,
                "paper": paper,
                "source": source,
                "position_scheme": each.position_scheme,
                "num_layers": each.num_layers,
            }
            for (name, paper, source), each in zip(origins, costs, strict=True)
        ],
        "table": {"vocabulary": len(table), "dimension": table.dim, "dtype": str(table.rows.dtype)},
        "vocabulary": np.array([each.num_embeddings for each in costs]),
        "dimension": np.array([each.row_dim for each in costs]),
        "parameters": np.array([each.num_parameters for each in costs]),
        "whole": np.array(totals),
        "share": np.array([np.nan if each.share is None else each.share for each in costs]),
    }


def second_tables_figure(*, tokens: int, dtype: str) -> SecondTables:
    """Count the tables of n-grams or of rows for each layer, and what they keep in a file and in memory.

    The memory is that of a `MappedEmbedding`: at most the pages of the rows that are read for a number of tokens.
    """
    models = {name: model for name, model in CATALOGUE.items() if model.cost.second}
    costs = [model.cost for model in models.values()]
    mapped = [replace(each, tied=True).mapped_bytes(tokens, dtype=dtype) for each in costs]  # without the token table
    return {
        "models": [
            {
                "name": name,
                "rows_are": "n-grams of bytes" if model.cost.ngrams else "tokens, for each layer",
                "rows": model.cost.second // model.cost.second_dim,
                "dimension": model.cost.second_dim,
                "reads": model.cost.second_reads,
                "source": model.source,
            }
            for name, model in models.items()
        ],
        "parameters": np.array([each.second for each in costs]),
        "whole": np.array([model.parameters for model in models.values()]),
        "disk": np.array([each.disk for each in mapped]),
        "memory": np.array([each.memory for each in mapped]),
    }


def widths_figure(*, without: str) -> Widths:
    """Fit d = c · N^slope over the text models of the catalogue, leaving out the model type `without`.

    The fit is a regression of log d on log N, next to which d = c · √N has the c that fits best. Models with a second
    table are left out, since most of their parameters are rows that are seldom read.
    """
    models = {name: model for name, model in CATALOGUE.items() if model.num_embeddings and not model.cost.second}
    parameters = np.log([model.parameters for model in models.values()])
    dims = np.log([model.hidden_dim for model in models.values()])
    used = np.array([model.cost.model_type != without for model in models.values()])
    slope, intercept = np.polyfit(parameters[used], dims[used], 1)
    distances = dims[used] - (slope * parameters[used] + intercept)
    root = (dims[used] - parameters[used] / 2).mean()
    return {
        "models": list(models),
        "parameters": np.array([model.parameters for model in models.values()]),
        "dims": np.array([model.hidden_dim for model in models.values()]),
        "used": used,
        "slope": float(slope),
        "factor": math.exp(intercept),
        "root_factor": math.exp(root),
        "slope_of_all": float(np.polyfit(parameters, dims, 1)[0]),
        "spread": math.exp(distances.std()),
        "root_spread": math.exp((dims[used] - parameters[used] / 2).std()),
    }


def model_tables_figure(*, model: str, dimension: int) -> ModelTables:
    """Count the rows of a model's three tables, and their parameters at another dimension than its own."""
    own = CATALOGUE[model].cost
    parts = np.array([own.tokens, own.positions, own.segments])
    rows = parts // own.row_dim
    return {
        "names": ["tokens", "positions", "segments"],
        "rows": rows,
        "parameters": rows * dimension,
        "own_dimension": own.row_dim,
        "own_parameters": parts,
        "share": float(rows[0] / rows.sum()),
    }
