import pytest
import torch
from transformers import AlbertConfig, AlbertModel

from rowspace.errors import UsageError
from rowspace.layers import FactorizedEmbedding

IDS = torch.tensor([[3, 1, 3], [0, 9, 2]])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_matches_albert(dtype: torch.dtype) -> None:
    # Oracle: ALBERT in transformers, bit for bit.
    config = AlbertConfig(vocab_size=10, embedding_size=4, hidden_size=16, num_attention_heads=2, intermediate_size=8)
    theirs = AlbertModel(config).to(dtype)
    ours = FactorizedEmbedding(10, 16, inner_dim=4, padding_idx=config.pad_token_id).to(dtype)
    ours.table.load_state_dict(theirs.embeddings.word_embeddings.state_dict())
    ours.projection.load_state_dict(theirs.encoder.embedding_hidden_mapping_in.state_dict())
    expected = theirs.encoder.embedding_hidden_mapping_in(theirs.embeddings.word_embeddings(IDS))
    assert torch.equal(ours(IDS), expected)


@pytest.mark.parametrize(("bias", "expected"), [(True, 10 * 4 + 4 * 16 + 16), (False, 10 * 4 + 4 * 16)])
def test_number_of_parameters(bias: bool, expected: int) -> None:
    embedding = FactorizedEmbedding(10, 16, inner_dim=4, bias=bias)
    assert (embedding.num_parameters, embedding.bytes) == (expected, 4 * expected)


def test_rows_have_the_rank_of_the_inner_dimension() -> None:
    rows = FactorizedEmbedding(50, 16, inner_dim=4, bias=False, init="inverse_sqrt").double()(torch.arange(50))
    assert torch.linalg.matrix_rank(rows) == 4


def test_invalid_arguments_raise() -> None:
    with pytest.raises(UsageError, match="inner_dim must be 1 or more, not 0"):
        FactorizedEmbedding(10, 16, inner_dim=0)
    with pytest.raises(UsageError, match=r"id 10 at \[0\] is out of range for a table of 10 rows"):
        FactorizedEmbedding(10, 16, inner_dim=4)(torch.tensor([10]))
