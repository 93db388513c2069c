import pytest
import torch
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

from rowspace.errors import UsageError
from rowspace.layers import RelativeBias, relative_buckets


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("num_buckets", "max_distance"), [(32, 128), (64, 256), (8, 20), (4, 128), (12, 100)])
def test_buckets_match_t5(num_buckets, max_distance, bidirectional):
    # transformers' T5Attention, on every offset of a long text
    offsets = torch.arange(-3000, 3000)
    expected = T5Attention._relative_position_bucket(offsets, bidirectional, num_buckets, max_distance)
    actual = relative_buckets(offsets, num_buckets=num_buckets, max_distance=max_distance, bidirectional=bidirectional)
    assert torch.equal(actual, expected)


@pytest.mark.parametrize("is_decoder", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_bias_matches_t5_bit_for_bit(dtype, is_decoder):
    # transformers' T5Attention.compute_bias, for all queries and for a decoding step
    config = T5Config(d_model=16, d_kv=4, num_heads=4, is_decoder=is_decoder)
    attention = T5Attention(config, has_relative_attention_bias=True, layer_idx=0).to(dtype)
    bias = RelativeBias(4, bidirectional=not is_decoder).to(dtype)
    bias.load_state_dict({"weight": attention.relative_attention_bias.weight.detach()})
    places = torch.arange(200)
    assert torch.equal(bias(places, places)[None], attention.compute_bias(200, 200))
    assert torch.equal(bias(places[150:151], places)[None], attention.compute_bias(1, 200, past_seen_tokens=150))


def test_gradient_of_a_bucket_is_summed_in_float32():
    bias = RelativeBias(1).to(torch.bfloat16)
    places = torch.arange(1000)
    bias(places[:1], places).sum().backward()
    counts = relative_buckets(places).bincount(minlength=32)
    assert counts.max() > 900  # a sum in bfloat16 would stop at 256
    assert torch.equal(bias.weight.grad[:, 0], counts.bfloat16())


def test_positions_may_differ_by_text():
    bias, keys = RelativeBias(3), torch.arange(5).expand(2, 5)
    assert bias(torch.tensor([[4], [2]]), keys).shape == (2, 3, 1, 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_buckets": 2}, "num_buckets must be an even number of at least 4, not 2"),
        ({"num_buckets": 9}, "num_buckets must be an even number of at least 4, not 9"),
        ({"num_buckets": 1, "bidirectional": False}, "num_buckets must be a number of at least 2, not 1"),
        ({"max_distance": 8}, "max_distance must be above 8, the distances with their own bucket, not 8"),
    ],
)
def test_invalid_arguments_raise(options, message):
    with pytest.raises(UsageError, match=message):
        RelativeBias(4, **options)
