"""A model that starts with the rows of a table."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.store import load
from rowspace.table import Table
from rowspace.text.tokenizers.huggingface_library import tokens_by_id
from rowspace_lab.experiments.language_model.options import TokenOptions
from rowspace_lab.experiments.language_model.rows import weights_of
from rowspace_lab.experiments.language_model.run_folder.checkpoint import RunRecord
from rowspace_lab.experiments.language_model.run_folder.folder import STATE
from rowspace_lab.experiments.language_model.trainer import make_model

__all__ = ["is_run", "open_rows", "options_with_rows", "weights_with_rows"]


def is_run(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is that of a run, which has more than a table."""
    return (Path(path) / STATE).is_dir()


def open_rows(path: str | os.PathLike[str]) -> Table:
    """Open a table with whose rows a model can start.

    Raises:
        UsageError: Its tokens are words, or are not those of its tokenizer.
    """
    table = load(path)
    if table.tokenizer is None or table.settings.get("tokens") == "words":
        raise UsageError(
            "the tokens of the table of init are words, which leave out white space, so a model of them cannot be "
            "compared in bits per byte; learn one of pieces with rowspace fit --tokens bpe"
        )
    tokens = tokens_by_id(Tokenizer.from_str(table.tokenizer))
    if tokens != list(table.vocabulary):
        raise UsageError(
            f"the tokenizer of the table of init has {len(tokens):,} tokens, and they are not those of its "
            f"{len(table):,} rows; give a table whose rows are the tokens of its tokenizer"
        )
    return table


def options_with_rows(keywords: dict[str, Any], table: Table) -> dict[str, Any]:
    """Return the options of a model that starts with the rows of a table, whose width and tokens it has."""
    for name in keywords.keys() & TokenOptions.__dataclass_fields__:
        raise UsageError(f"the table that init names has its own tokens, which cannot change; omit {name}")
    if keywords.get("dim", table.dim) != table.dim:
        raise UsageError(f"the table that init names has dim={table.dim}, which cannot change; omit dim")
    return keywords | {"dim": table.dim}


def weights_with_rows(table: Table, record: RunRecord) -> dict[str, Tensor]:
    """Return the weights of a new model with the rows of a table.

    The rows are scaled so that their numbers have the root mean square `init_std`, as random rows do. Tokens that have
    not been learned, with rows of zeros, start at random.

    Raises:
        UsageError: A row has NaN or infinity.
    """
    model = make_model(record, len(table))
    rows = torch.from_numpy(np.array(table.rows, np.float32))
    learned = rows.any(dim=1)
    scale = float(rows[learned].square().mean().sqrt())
    if not np.isfinite(scale) or not scale:
        raise UsageError("the rows of the table of init are all zeros, or have NaN or infinity; learn it again")
    with torch.no_grad():
        model.input.tokens.weight[learned] = rows[learned] * (record.model.init_std / scale)
    return weights_of(model)
