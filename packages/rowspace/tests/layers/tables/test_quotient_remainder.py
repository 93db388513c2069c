import numpy as np
import pytest
import torch

from rowspace.errors import UsageError
from rowspace.layers import QuotientRemainderEmbedding

COMBINED = {"product": np.multiply, "sum": np.add}


@pytest.mark.parametrize("combine", ["product", "sum"])
@pytest.mark.parametrize(
    ("num_embeddings", "num_remainders"), [(10, None), (10, 3), (10, 10), (10, 1), (1, None), (16, None)]
)
def test_matches_the_formula(combine: str, num_embeddings: int, num_remainders: int | None) -> None:
    embedding = QuotientRemainderEmbedding(num_embeddings, 4, num_remainders=num_remainders, combine=combine)
    m = num_remainders or int(np.ceil(np.sqrt(num_embeddings)))
    ids = np.arange(num_embeddings)
    quotients, remainders = (table.weight.detach().numpy() for table in (embedding.quotients, embedding.remainders))
    expected = COMBINED[combine](quotients[ids // m], remainders[ids % m])
    np.testing.assert_array_equal(embedding(torch.from_numpy(ids)).detach().numpy(), expected)
    assert embedding.num_parameters == 4 * (-(-num_embeddings // m) + m)


@pytest.mark.parametrize("combine", ["product", "sum"])
def test_rows_are_distinct_with_the_usual_standard_deviation(combine: str) -> None:
    rows = QuotientRemainderEmbedding(5000, 64, combine=combine)(torch.arange(5000)).detach()
    assert len(rows.unique(dim=0)) == 5000
    assert rows.std().item() == pytest.approx(0.02, rel=0.05)


def test_invalid_arguments_raise() -> None:
    with pytest.raises(UsageError, match="combine must be 'product' or 'sum', not 'mean'"):
        QuotientRemainderEmbedding(10, 4, combine="mean")
    with pytest.raises(UsageError, match="num_remainders must be 1 or more, not 0"):
        QuotientRemainderEmbedding(10, 4, num_remainders=0)


@pytest.mark.parametrize("wrong", [-1, 10, 11, 12])  # 10 and 11 have a quotient and a remainder in the tables
def test_id_out_of_range_raises(wrong: int) -> None:
    embedding, ids = QuotientRemainderEmbedding(10, 4, num_remainders=4), torch.tensor([0, wrong])
    with pytest.raises(UsageError, match=rf"id {wrong} at \[1\] is out of range for a table of 10 rows"):
        embedding(ids)
    exported = torch.export.export(embedding, (torch.tensor([0, 1]),)).module()
    with pytest.raises(IndexError):
        exported(ids)


def test_ids_beyond_int32():
    for num_embeddings in (2**31, 2**33):
        embedding = QuotientRemainderEmbedding(num_embeddings, 2)
        size = embedding.num_remainders
        for dtype in (torch.int32, torch.int64):
            last = min(num_embeddings, torch.iinfo(dtype).max) - 1
            quotients, remainders = embedding.quotients.weight, embedding.remainders.weight
            expected = torch.stack([quotients[token // size] * remainders[token % size] for token in (0, last)])
            assert torch.equal(embedding(torch.tensor([0, last], dtype=dtype)), expected), (num_embeddings, dtype)
        with pytest.raises(UsageError, match=rf"id {num_embeddings} at \[0\] is out of range"):
            embedding(torch.tensor([num_embeddings]))
