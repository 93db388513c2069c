"""Initialization of rows: `init_rows_`, by name or by a function that fills a tensor."""

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.tables.distributed_lookup import zero_row

Init = Literal["normal", "inverse_sqrt", "xavier"] | Callable[[Tensor], object]


def init_rows_(
    weight: Tensor, init: Init, *, padding_idx: int | None = None, generator: torch.Generator | None = None
) -> None:
    """Fill `weight` (V, d) in place, and the padding row, if any, with zeros.

    - `"normal"`: standard deviation 0.02 for every d (BERT, GPT-2).
    - `"inverse_sqrt"`: standard deviation 1/√d, so that rows have a norm near 1 (2017 Transformer, T5X).
    - `"xavier"`: uniform in ±√(6 / (V + d)) (Glorot and Bengio 2010; Marian).
    - a function: called with the tensor, which it fills.

    The named ones use `generator`, or torch's default generator.

    >>> weight = torch.empty(3, 2)
    >>> init_rows_(weight, torch.nn.init.ones_, padding_idx=0)
    >>> weight
    tensor([[0., 0.],
            [1., 1.],
            [1., 1.]])
    """
    with torch.no_grad():
        if callable(init):
            init(weight)
        elif init == "normal":
            nn.init.normal_(weight, std=0.02, generator=generator)
        elif init == "inverse_sqrt":
            nn.init.normal_(weight, std=weight.shape[1] ** -0.5, generator=generator)
        elif init == "xavier":
            nn.init.xavier_uniform_(weight, generator=generator)
        else:
            raise UsageError(f"init must be 'normal', 'inverse_sqrt', 'xavier' or a function, not {init!r}")
        if padding_idx is not None:
            zero_row(weight, padding_idx)
