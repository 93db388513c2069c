"""Initialization of rows: `init_rows_`, by name or by a function that fills a tensor."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, cast

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers._torch_private import local_offset
from rowspace.layers.tables.distributed_lookup import is_distributed, local_tensor, zero_row

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor

Init = Literal["normal", "inverse_sqrt", "xavier"] | Callable[[Tensor], object]


def init_rows_(
    weight: Tensor, init: Init, *, padding_idx: int | None = None, generator: torch.Generator | None = None
) -> None:
    """Fill `weight` (V, d) in place, and the padding row, if any, with zeros.

    - `"normal"`: standard deviation 0.02 for every d (BERT, GPT-2).
    - `"inverse_sqrt"`: standard deviation 1/√d, so that rows have a norm near 1 (2017 Transformer, T5X).
    - `"xavier"`: uniform in ±√(6 / (V + d)) (Glorot and Bengio 2010; Marian).
    - a function: called with the tensor, which it fills.

    The named ones use `generator`, or torch's default generator. In processes that have parts of the rows on a CPU and
    equal seeds, each draws other numbers, from a seed that the default generator gives; on a GPU torch cares for that.

    >>> weight = torch.empty(3, 2)
    >>> init_rows_(weight, torch.nn.init.ones_, padding_idx=0)
    >>> weight
    tensor([[0., 0.],
            [1., 1.],
            [1., 1.]])
    """
    with torch.no_grad():
        rows = weight
        if is_distributed(weight) and weight.device.type == "cpu" and not callable(init):
            generator = _generator_of_part(weight, generator)
            rows = local_tensor(weight)
        if callable(init):
            init(weight)
        elif init == "normal":
            nn.init.normal_(rows, std=0.02, generator=generator)
        elif init == "inverse_sqrt":
            nn.init.normal_(rows, std=weight.shape[1] ** -0.5, generator=generator)
        elif init == "xavier":
            bound = math.sqrt(6 / sum(weight.shape))
            nn.init.uniform_(rows, -bound, bound, generator=generator)
        else:
            raise UsageError(f"init must be 'normal', 'inverse_sqrt', 'xavier' or a function, not {init!r}")
        if padding_idx is not None:
            zero_row(weight, padding_idx)


def _generator_of_part(weight: Tensor, generator: torch.Generator | None) -> torch.Generator:
    """A generator that depends on which part of a distributed table is in this process."""
    seed = int(torch.randint(2**62, (), generator=generator))
    row, column = local_offset(cast("DTensor", weight))
    return torch.Generator().manual_seed(seed + row * weight.shape[1] + column)
