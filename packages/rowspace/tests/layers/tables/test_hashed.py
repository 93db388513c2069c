import pytest
import torch
from safetensors.torch import load, save
from torch import nn
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers import HashedEmbedding

IDS = torch.tensor([[3, 1, 3], [0, 9, 2]])
PRIME = 2**31 - 1


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32], ids=str)
def test_hash_matches_the_formula_without_overflow(dtype: torch.dtype) -> None:
    # Oracle: Python's integers, which do not overflow.
    embedding = HashedEmbedding(PRIME, 1, num_rows=1000, num_hashes=3)
    ids = [0, 1, 2, 10**9, PRIME - 1]
    expected = [[(a * token + b) % PRIME % 1000 for a, b in embedding.hashes] for token in ids]
    assert embedding.rows_of(torch.tensor(ids, dtype=dtype)).tolist() == expected


def test_hash_is_pinned() -> None:
    # A saved table cannot be used with another hash. The first output of SplitMix64 for seed 0 is known.
    embedding = HashedEmbedding(10, 1, num_rows=1000)
    assert embedding.hashes[0][0] == 0xE220A8397B1DCDAF % (PRIME - 1) + 1
    assert embedding.rows_of(torch.arange(4)).tolist() == [[10, 720], [95, 26], [827, 685], [559, 991]]


def test_hashes_differ_within_and_between_seeds() -> None:
    hashes = [pair for seed in range(5) for pair in HashedEmbedding(10, 1, num_rows=9, num_hashes=4, seed=seed).hashes]
    assert len(set(hashes)) == 20


def test_seeds_do_not_share_hashes_for_any_number_of_hashes() -> None:
    owner = {}
    for seed in (*range(300), -1, 2**40):
        for num_hashes in (1, 2, 4, 7):
            for pair in HashedEmbedding(2, 1, num_rows=2, num_hashes=num_hashes, seed=seed).hashes:
                assert owner.setdefault(pair, seed) == seed, f"{pair} belongs to the seeds {owner[pair]} and {seed}"


def test_state_with_other_hashes_is_refused() -> None:
    saved = nn.Sequential(HashedEmbedding(10, 4, num_rows=5, seed=3)).state_dict()
    nn.Sequential(HashedEmbedding(10, 4, num_rows=5, seed=3)).load_state_dict(load(save(saved)))
    for options in ({"seed": 4}, {"seed": 3, "num_hashes": 3}):
        other = nn.Sequential(HashedEmbedding(10, 4, num_rows=5, **options))
        before = other[0].weight.detach().clone()
        with pytest.raises(RuntimeError, match="0: the state was saved with other hashes than"):
            other.load_state_dict(saved)
        assert torch.equal(other[0].weight, before)


def test_state_without_hashes_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"saved with other hashes than .*, or without them; build"):
        HashedEmbedding(10, 4, num_rows=5).load_state_dict({"table.weight": torch.ones(5, 4)})


def test_importance_starts_at_one_and_scales_each_row() -> None:
    # Oracle: a loop over ids and hashes, and autograd through it.
    embedding = HashedEmbedding(10, 4, num_rows=6, num_hashes=3, weighted=True)
    assert (embedding.importance == 1).all()
    torch.nn.init.normal_(embedding.importance)
    weight, importance = (tensor.detach().clone().requires_grad_() for tensor in embedding.parameters())
    rows = embedding.rows_of(torch.arange(10)).tolist()
    expected = torch.stack(
        [
            sum(importance[token, j] * weight[row] for j, row in enumerate(rows[token]))
            for token in IDS.flatten().tolist()
        ]
    ).view(2, 3, 4)
    torch.testing.assert_close(embedding(IDS), expected)
    embedding(IDS).cos().sum().backward()
    expected.cos().sum().backward()
    torch.testing.assert_close(embedding.importance.grad, importance.grad)
    torch.testing.assert_close(embedding.weight.grad, weight.grad)


def test_hashes_are_uniform_and_independent() -> None:
    rows = HashedEmbedding(100_000, 1, num_rows=100).rows_of(torch.arange(100_000))
    for column in rows.T:
        assert (column.bincount(minlength=100) - 1000).abs().max() < 200
    pairs = (rows[:, 0] * 100 + rows[:, 1]).bincount(minlength=10_000)
    assert (pairs > 0).float().mean() > 0.9


@pytest.mark.parametrize("weighted", [False, True])
def test_matches_embedding_bag(weighted: bool) -> None:
    embedding = HashedEmbedding(10, 4, num_rows=6, num_hashes=3, weighted=weighted)
    importance = None
    if weighted:
        torch.nn.init.normal_(embedding.importance)
        importance = embedding.importance[IDS].flatten(0, 1)
    bags = embedding.rows_of(IDS).flatten(0, 1)
    expected = functional.embedding_bag(bags, embedding.weight, mode="sum", per_sample_weights=importance)
    torch.testing.assert_close(embedding(IDS), expected.view(2, 3, 4))
    assert embedding.num_parameters == 6 * 4 + (30 if weighted else 0)


def test_initial_standard_deviation() -> None:
    rows = HashedEmbedding(20_000, 64, num_rows=500, num_hashes=3)(torch.arange(20_000))
    assert rows.std().item() == pytest.approx(0.02, rel=0.05)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_rows": 0}, "num_rows must be 1 or more, not 0"),
        ({"num_hashes": 0}, "num_hashes must be 1 or more, not 0"),
        (
            {"num_embeddings": 2**31},
            f"num_embeddings must be at most {PRIME}, the prime of the hash, not {2**31}; use Quot",
        ),
    ],
)
def test_invalid_arguments_raise(options: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        HashedEmbedding(**{"num_embeddings": 10, "embedding_dim": 4, "num_rows": 5} | options)


@pytest.mark.parametrize("wrong", [-1, 10])
def test_id_out_of_range_raises(wrong: int) -> None:
    embedding, ids = HashedEmbedding(10, 4, num_rows=5), torch.tensor([0, wrong])
    with pytest.raises(UsageError, match=rf"id {wrong} at \[1\] is out of range for a table of 10 rows"):
        embedding(ids)
    exported = torch.export.export(embedding, (torch.tensor([0, 1]),)).module()
    with pytest.raises(IndexError):
        exported(ids)
