import pytest
import torch
from sentence_transformers.util import truncate_embeddings
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers import MatryoshkaEmbedding, truncate

IDS = torch.tensor([[3, 1, 3], [0, 9, 2]])


@pytest.mark.parametrize("dim", [1, 5, 8])
def test_truncate_matches_sentence_transformers(dim: int) -> None:
    vectors = torch.randn(2, 3, 8)
    expected = truncate_embeddings(vectors, dim)
    assert torch.equal(truncate(vectors, dim), expected)
    assert torch.equal(truncate(vectors, dim, normalize=True), functional.normalize(expected, dim=-1))


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("dim", [1, 5, 8])
def test_rows_and_gradient_match_truncated_full_rows(dim: int, normalize: bool) -> None:
    embedding = MatryoshkaEmbedding(10, 8, dim=dim, normalize=normalize)
    expected = truncate(functional.embedding(IDS, embedding.weight), dim, normalize=normalize)
    upstream = torch.randn(2, 3, dim)
    assert torch.equal(embedding(IDS), expected)
    ours, theirs = (torch.autograd.grad(rows, embedding.weight, upstream)[0] for rows in (embedding(IDS), expected))
    torch.testing.assert_close(ours, theirs)
    assert ours[:, dim:].count_nonzero() == 0


def test_norms_of_half_precision_are_computed_in_float32() -> None:
    vectors = torch.full((3, 4096), 200.0, dtype=torch.float16)  # the sum of their squares overflows float16
    assert torch.equal(truncate(vectors, 1024, normalize=True), torch.full((3, 1024), 1 / 32, dtype=torch.float16))


def test_zeros_stay_zeros() -> None:
    assert truncate(torch.zeros(2, 4), 2, normalize=True).count_nonzero() == 0


def test_dim_can_be_changed() -> None:
    embedding = MatryoshkaEmbedding(10, 8)
    widths = []
    for embedding.dim in (8, 2, 5):
        widths.append(embedding(IDS).shape[-1])
    assert widths == [8, 2, 5]


def test_truncated_gives_the_same_rows_in_less_memory() -> None:
    embedding = MatryoshkaEmbedding(10, 8, dim=3, normalize=True, padding_idx=9).bfloat16().eval()
    smaller = embedding.truncated()
    assert torch.equal(smaller(IDS), embedding(IDS))
    assert (smaller.num_parameters, smaller.bytes, embedding.bytes) == (30, 60, 160)
    assert (smaller.padding_idx, smaller.training, smaller.weight.dtype) == (9, False, torch.bfloat16)
    assert smaller.weight.untyped_storage().nbytes() == 60


@pytest.mark.parametrize("dim", [0, -1, 9])
def test_invalid_dim_raises(dim: int) -> None:
    with pytest.raises(UsageError, match=f"dim must be from 1 to 8, the number of columns, not {dim}"):
        MatryoshkaEmbedding(10, 8, dim=dim)
    with pytest.raises(UsageError, match=f"dim must be from 1 to 8, the number of columns, not {dim}"):
        truncate(torch.zeros(8), dim)
