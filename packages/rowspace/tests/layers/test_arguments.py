"""Numeric arguments of all modules: an infinite, NaN or negative one is an error when the module is constructed."""

import math

import numpy as np
import pytest
import torch

from rowspace import layers
from rowspace.errors import UsageError

IDS = torch.tensor([[1, 2]])
INVALID = [
    *(lambda base=base: layers.RotaryPosition(8, base=base) for base in (math.nan, math.inf, 1.0)),
    *(lambda base=base: layers.SinusoidPosition(8, base=base) for base in (math.nan, math.inf, 0.0)),
    *(lambda base=base: layers.SinusoidGrid(8, base=base) for base in (math.nan, math.inf, -1.0)),
    *(lambda bias=bias: layers.Alibi(4, max_bias=bias) for bias in (math.nan, math.inf, -8.0)),
    *(lambda far=far: layers.RelativeBias(4, max_distance=far) for far in (math.nan, math.inf)),
    *(lambda scale=scale: layers.TokenEmbedding(3, 2, scale=scale) for scale in (math.nan, math.inf)),
    *(lambda scale=scale: layers.UntiedHead(2, 3, scale=scale) for scale in (math.nan, -math.inf)),
    *(lambda factor=factor: layers.LinearScaling(factor) for factor in (math.nan, math.inf)),
    *(lambda longest=longest: layers.DynamicScaling(2.0, longest) for longest in (math.nan, 0, -8)),
    lambda: layers.ProportionalScaling(-0.5),
    lambda: layers.Llama3Scaling(8.0, 1.0, math.nan, 64),
    lambda: layers.Llama3Scaling(8.0, 1.0, 4.0, 0),
    lambda: layers.LongRopeScaling((1.0,), (1.0,), 64, attention_scale=math.inf),
    lambda: layers.YarnScaling(4.0, 64, mscale=math.nan, mscale_all_dim=1.0),
    lambda: layers.GridPosition((2, 2), 4, prefix=-1),
    lambda: layers.SinusoidGrid(8, prefix_rows=-1),
    lambda: layers.Concatenation(0, tokens=layers.TokenEmbedding(3, 2)),
    lambda: layers.TokenEmbedding(math.inf, 2),
    lambda: layers.TokenEmbedding(3, 2.0),
    lambda: layers.HashedEmbedding(True, 2, num_rows=3),
    lambda: layers.unfold_patches(torch.ones(1, 3, 4, 4), 0),
    lambda: layers.pad_to_patches(torch.ones(1, 3, 4, 4), -3),
    lambda: layers.LearnedPosition(8, 4)(IDS, start=-1),
    lambda: layers.LearnedPosition(8, 4, position_ids_from="ids", padding_idx=0)(IDS, start=-1),
    lambda: layers.SinusoidPosition(4)(IDS, start=-1),
]


def test_an_invalid_number_raises():
    for number, call in enumerate(INVALID):
        with pytest.raises(UsageError, match="must be"):
            pytest.fail(f"case {number} gives {call()}")


def test_an_integer_of_numpy_is_accepted():
    assert layers.TokenEmbedding(np.int64(3), 2).weight.shape == (3, 2)
