import numpy as np
import pytest
import torch
from torch.func import vmap

from rowspace.errors import UsageError
from rowspace.layers import (
    AdaptiveEmbedding,
    FactorizedEmbedding,
    HashedEmbedding,
    LearnedPosition,
    MatryoshkaEmbedding,
    PatchEmbedding,
    QuantizedEmbedding,
    QuotientRemainderEmbedding,
    SegmentEmbedding,
    SinusoidPosition,
    TokenEmbedding,
    bert,
)
from rowspace.layers.tables.gather import check_ids, gather_rows


def check_only(ids: torch.Tensor, table: torch.Tensor) -> None:
    check_ids(ids, len(table))


@pytest.fixture(params=[gather_rows, check_only])
def look(request: pytest.FixtureRequest):
    return request.param


@pytest.mark.parametrize(
    ("ids", "named"),
    [
        ([[0, 1, 2], [3, 5, -1]], r"id 5 at \[1, 1\]"),  # the first of two
        ([-1], r"id -1 at \[0\]"),
        ([[[0], [2**40]]], rf"id {2**40} at \[0, 1, 0\]"),
        (5, "id 5 is"),
    ],
)
def test_error_names_the_first_id_out_of_range_and_its_position(look, ids: list, named: str) -> None:
    with pytest.raises(UsageError, match=named + r"?.* out of range for a table of 5 rows; check the tokenizer"):
        look(torch.tensor(ids), torch.zeros(5, 2))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.uint8, torch.int16], ids=str)
def test_error_names_the_dtype(look, dtype: torch.dtype) -> None:
    with pytest.raises(UsageError, match=f"ids must be int64 or int32, not {dtype}; convert them"):
        look(torch.ones(3).to(dtype), torch.zeros(5, 2))


def test_every_module_refuses_input_that_is_not_a_tensor() -> None:
    modules = [
        AdaptiveEmbedding(10, 4, cutoffs=[3]),
        FactorizedEmbedding(10, 4, inner_dim=2),
        HashedEmbedding(10, 4, num_rows=3),
        LearnedPosition(8, 4),
        MatryoshkaEmbedding(10, 4),
        QuantizedEmbedding(10, 4),
        QuotientRemainderEmbedding(10, 4),
        SegmentEmbedding(2, 4),
        SinusoidPosition(4),
        TokenEmbedding(10, 4),
        bert(10, 4),
    ]
    wrong = {
        r"ids must be a tensor, not a list; convert them with torch.tensor\(ids\)": [[1, 2]],
        r"ids must be a tensor, not a NumPy array; convert them with torch.from_numpy\(ids\)": np.array([[1, 2]]),
        r"ids must be a tensor, not an int; convert them with torch.tensor\(ids\)": 3,
    }
    for module in modules:
        for message, ids in wrong.items():
            with pytest.raises(UsageError, match=message):
                module(ids)
    with pytest.raises(UsageError, match="images must be a tensor, not a NumPy array"):
        PatchEmbedding(2, 3, 4)(np.zeros((1, 3, 2, 2)))


@pytest.mark.parametrize("ids", [torch.tensor([0, 4]), torch.tensor([], dtype=torch.int32), torch.tensor([[3]]).int()])
def test_accepts_valid_ids(look, ids: torch.Tensor) -> None:
    look(ids, torch.zeros(5, 2))


def test_check_ids_reads_values_inside_vmap() -> None:
    with pytest.raises(UsageError, match=r"id 5 at \[1, 0\]"):
        vmap(lambda ids: check_ids(ids, 5) or ids)(torch.tensor([[0], [5]]))


def test_meta_ids_are_not_checked(look) -> None:
    look(torch.empty(3, dtype=torch.int64, device="meta"), torch.zeros(5, 2, device="meta"))
