import pytest
import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

from rowspace.errors import UsageError
from rowspace.layers import Alibi, alibi_slopes

HEADS = [1, 2, 3, 7, 8, 12, 16, 20, 71, 112]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("num_heads", HEADS)
def test_key_bias_matches_bloom_bit_for_bit(num_heads, dtype):
    # transformers' build_alibi_tensor, with padding on either side
    mask = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 1, 0, 0, 0]])
    bias = Alibi(num_heads, rounding="bloom").key_bias(mask, dtype=dtype)
    assert torch.equal(bias.flatten(0, 1), build_alibi_tensor(mask, num_heads, dtype))


@pytest.mark.parametrize("max_bias", [8, 16])
@pytest.mark.parametrize("num_heads", HEADS)
def test_last_query_matches_mpt_bit_for_bit(num_heads, max_bias):
    # transformers' build_mpt_alibi_tensor: one row for all queries
    expected = build_mpt_alibi_tensor(num_heads, 300, max_bias)
    bias = Alibi(num_heads, max_bias=max_bias)(torch.tensor([299]), torch.arange(300))
    assert torch.equal(bias, expected)


@pytest.mark.parametrize("num_heads", HEADS)
def test_roundings_agree(num_heads):
    torch.testing.assert_close(alibi_slopes(num_heads, rounding="bloom"), alibi_slopes(num_heads), rtol=4e-6, atol=0)


def test_slopes_of_twelve_heads():
    # computed by hand from the paper: those of 8 heads, then every second one of 16
    expected = [2.0**-i for i in range(1, 9)] + [2.0 ** -(i - 0.5) for i in range(1, 5)]
    torch.testing.assert_close(alibi_slopes(12), torch.tensor(expected))


def test_softmax_does_not_depend_on_the_query_row():
    scores, places = torch.randn(8, 20, 20, dtype=torch.float64), torch.arange(20)
    future = torch.full((20, 20), float("-inf")).triu(1)
    alibi = Alibi(8)
    rows = [alibi(places, places), alibi(places[-1:], places), alibi(places[:1], places)]
    full, last, first = ((scores + bias + future).softmax(-1) for bias in rows)
    torch.testing.assert_close(last, full)
    torch.testing.assert_close(first, full)


def test_one_query_computes_one_row():
    full = Alibi(4)(torch.arange(9), torch.arange(9))
    assert torch.equal(Alibi(4)(torch.tensor([6]), torch.arange(9)), full[:, 6:7])


def test_symmetric_uses_the_distance():
    bias = Alibi(4, symmetric=True)(torch.arange(6), torch.arange(6))
    assert torch.equal(bias, bias.mT)
    assert torch.equal(bias.tril(), Alibi(4)(torch.arange(6), torch.arange(6)).tril())


def test_positions_may_differ_by_text():
    queries, keys = torch.tensor([[4], [2]]), torch.arange(5).expand(2, 5)
    bias = Alibi(3)(queries, keys)
    assert bias.shape == (2, 3, 1, 5)
    assert torch.equal(bias[1], Alibi(3)(queries[1], keys[1]))


def test_slopes_stay_float32_in_a_model_cast_to_bfloat16():
    assert torch.equal(Alibi(12).to(torch.bfloat16).slopes, alibi_slopes(12))


def test_zero_heads_raise():
    with pytest.raises(UsageError, match="num_heads must be 1 or more, not 0"):
        Alibi(0)


def test_unknown_rounding_raises():
    with pytest.raises(UsageError, match="rounding must be 'mpt' or 'bloom', not 'falcon'"):
        alibi_slopes(8, rounding="falcon")


def test_bloom_with_another_max_bias_raises():
    with pytest.raises(UsageError, match=r"max_bias must be 8 with rounding='bloom', not 4.0"):
        alibi_slopes(8, max_bias=4.0, rounding="bloom")
