from itertools import pairwise

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers import AdaptiveEmbedding

IDS = torch.tensor([[0, 2, 3, 5], [6, 9, 9, 4]])  # both ends of each cluster


def as_transformer_xl(embedding: AdaptiveEmbedding, ids: Tensor, cutoffs: list[int], dim: int) -> Tensor:
    """The formula of Dai et al.'s release: each cluster selects its ids, projects them and writes them back."""
    flat, rows = ids.flatten(), torch.zeros(ids.numel(), dim)
    ends = [0, *cutoffs, embedding.num_embeddings]
    for cluster, (start, end) in enumerate(pairwise(ends)):
        places = ((flat >= start) & (flat < end)).nonzero().squeeze(-1)
        narrow = functional.embedding(flat[places] - start, embedding.tables[cluster].weight)
        rows = rows.index_copy(0, places, functional.linear(narrow, embedding.projections[cluster].weight))
    return rows.view(*ids.shape, dim) * dim**0.5


@pytest.mark.parametrize(("cutoffs", "factor"), [([3, 6], 2), ([3, 6], 4), ([1], 1), ([], 4), ([3, 6, 9], 2)])
@pytest.mark.parametrize("id_dtype", [torch.int64, torch.int32], ids=str)
def test_matches_transformer_xl(cutoffs: list[int], factor: int, id_dtype: torch.dtype) -> None:
    embedding = AdaptiveEmbedding(10, 16, cutoffs=cutoffs, factor=factor, scale="sqrt")
    ids, upstream = IDS.to(id_dtype), torch.randn(*IDS.shape, 16)
    rows, expected = embedding(ids), as_transformer_xl(embedding, IDS, cutoffs, 16)
    torch.testing.assert_close(rows, expected, atol=1e-6, rtol=1e-6)
    parameters = list(embedding.parameters())
    gradients = torch.autograd.grad(rows, parameters, upstream)
    torch.testing.assert_close(gradients, torch.autograd.grad(expected, parameters, upstream), atol=1e-5, rtol=1e-5)


def test_widths_and_number_of_parameters() -> None:
    embedding = AdaptiveEmbedding(10, 16, cutoffs=[3, 6], factor=4)
    assert [tuple(table.weight.shape) for table in embedding.tables] == [(3, 16), (3, 4), (4, 1)]
    assert embedding.num_parameters == 3 * 16 + 3 * 4 + 4 * 1 + 16 * (16 + 4 + 1)
    assert embedding.bytes == 4 * embedding.num_parameters


@pytest.mark.parametrize("padding_idx", [0, 4, -1])
def test_padding_gives_zeros_and_no_gradients(padding_idx: int) -> None:
    embedding = AdaptiveEmbedding(10, 16, cutoffs=[3, 6], padding_idx=padding_idx)
    rows = embedding(torch.tensor([padding_idx % 10]))
    (rows - 1).square().sum().backward()
    assert rows.count_nonzero() == 0
    assert all(parameter.grad.count_nonzero() == 0 for parameter in embedding.parameters())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cutoffs": [6, 3]}, r"cutoffs must increase between 0 and the 10 ids, not \[6, 3\]"),
        ({"cutoffs": [10]}, r"cutoffs must increase between 0 and the 10 ids, not \[10\]"),
        ({"cutoffs": [0, 3]}, r"cutoffs must increase between 0 and the 10 ids, not \[0, 3\]"),
        ({"cutoffs": [2, 4, 6]}, "cutoffs define 4 clusters, too many to divide 16 by 4 for each"),
        ({"cutoffs": [2], "factor": 0}, "factor must be 1 or more, not 0"),
    ],
)
def test_invalid_arguments_raise(options: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        AdaptiveEmbedding(10, 16, **options)


@pytest.mark.parametrize("wrong", [-1, 10])
def test_id_out_of_range_raises(wrong: int) -> None:
    with pytest.raises(UsageError, match=rf"id {wrong} at \[1\] is out of range for a table of 10 rows"):
        AdaptiveEmbedding(10, 16, cutoffs=[3, 6])(torch.tensor([0, wrong]))


@pytest.mark.parametrize("wrong", [-1, 10])
def test_id_out_of_range_in_an_exported_graph_raises(wrong: int) -> None:
    exported = torch.export.export(AdaptiveEmbedding(10, 16, cutoffs=[3, 6]), (torch.tensor([0, 1]),)).module()
    with pytest.raises(IndexError):
        exported(torch.tensor([0, wrong]))


def test_initialization_matches_fairseq():
    embedding = AdaptiveEmbedding(4000, 64, cutoffs=[2000])
    for table, projection, width in zip(embedding.tables, embedding.projections, (64, 16), strict=True):
        assert table.weight.std().item() == pytest.approx(width**-0.5, rel=0.05)
        bound = (6 / (width + 64)) ** 0.5
        assert 0.9 * bound < projection.weight.abs().max() <= bound
