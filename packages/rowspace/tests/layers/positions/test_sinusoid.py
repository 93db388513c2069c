import copy
import pickle

import pytest
import torch
from transformers.models.canary.modeling_canary import CanaryPositionalEmbedding
from transformers.models.ctrl.modeling_ctrl import positional_encoding
from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings
from transformers.models.fsmt.modeling_fsmt import SinusoidalPositionalEmbedding
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

from rowspace.errors import UsageError
from rowspace.layers import SinusoidPosition


def ids(length, *, batch=2):
    return torch.zeros(batch, length, dtype=torch.long)


def test_matches_marian_bit_for_bit():
    # transformers' MarianSinusoidalPositionalEmbedding, a table computed by NumPy in float64
    expected = MarianSinusoidalPositionalEmbedding(300, 64).create_weight()
    position = SinusoidPosition(64, layout="concatenated", angle_dtype=torch.float64)
    assert torch.equal(position(ids(300)), expected)


def test_matches_distilbert_bit_for_bit():
    # transformers' create_sinusoidal_embeddings, interleaved as in the paper
    expected = create_sinusoidal_embeddings(300, 64, torch.empty(300, 64))
    assert torch.equal(SinusoidPosition(64, angle_dtype=torch.float64)(ids(300)), expected)


def test_matches_fairseq_bit_for_bit():
    # transformers' FSMT, a port of fairseq: float32, and the lowest frequency is 1/10000
    expected = SinusoidalPositionalEmbedding.get_embedding(3000, 64, None)
    assert torch.equal(SinusoidPosition(64, layout="concatenated", endpoint=True)(ids(3000)), expected)


@pytest.mark.parametrize("start", [0, 4])
def test_matches_fairseq_with_padding_bit_for_bit(start):
    # transformers' M2M100, which has fairseq's table and extends it for longer texts
    texts = torch.tensor([[5, 0, 7, 1, 1], [1, 1, 8, 9, 4], [1, 1, 1, 1, 1]])
    reference = M2M100SinusoidalPositionalEmbedding(8, 64, padding_idx=1)
    position = SinusoidPosition(64, layout="concatenated", endpoint=True, padding_idx=1)
    assert torch.equal(position(texts, start=start), reference(texts, past_key_values_length=start))


def test_matches_canary_bit_for_bit():
    # transformers' CanaryPositionalEmbedding, divided by √d
    expected = CanaryPositionalEmbedding(300, 64)(torch.arange(300))
    assert torch.equal(SinusoidPosition(64, layout="concatenated", normalized=True)(ids(300)), expected)


def test_matches_ctrl_bit_for_bit():
    # transformers' positional_encoding, whose frequencies are reciprocals
    position = SinusoidPosition(64, layout="concatenated", reciprocal=True)
    assert torch.equal(position(ids(300)), positional_encoding(300, 64, torch.float32))


def test_matches_the_annotated_transformer_bit_for_bit():
    # The Annotated Transformer: exp(arange(0, d, 2) * -(log(10000) / d)), in float32
    places = torch.arange(3000.0).unsqueeze(1)
    scale = torch.exp(torch.arange(0, 64, 2) * -(torch.tensor(10000.0, dtype=torch.float64).log().item() / 64))
    expected = torch.zeros(3000, 64)
    expected[:, 0::2], expected[:, 1::2] = torch.sin(places * scale), torch.cos(places * scale)
    assert torch.equal(SinusoidPosition(64)(ids(3000)), expected)


def test_norm_of_512_components_is_16():
    norms = SinusoidPosition(512)(ids(2000)).norm(dim=-1)
    torch.testing.assert_close(norms, torch.full((2000,), 16.0))


@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
@pytest.mark.parametrize("angle_dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("offset", [0, 2])
def test_all_ways_to_pass_positions_agree(layout, angle_dtype, offset):
    full = SinusoidPosition(24, layout=layout, angle_dtype=angle_dtype)(ids(102))[offset:]
    position = SinusoidPosition(24, layout=layout, angle_dtype=angle_dtype, offset=offset)
    assert torch.equal(position(ids(7), start=93), full[93:100])
    places = torch.tensor([[99, 0], [3, 3]])
    assert torch.equal(position(ids(2), positions=places), full[places])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_rows_are_rounded_once(dtype):
    position = SinusoidPosition(16)
    exact = position(ids(500))
    assert torch.equal(position.to(torch.bfloat16)(ids(500), dtype=dtype), exact.to(dtype))


def test_rows_are_cached_for_the_next_text():
    position = SinusoidPosition(16)
    first = position(ids(100))
    assert position(ids(60)).data_ptr() == first.data_ptr()
    assert position(ids(28), start=100).data_ptr() == first.data_ptr() + 100 * 16 * 4
    assert position(ids(129)).data_ptr() != first.data_ptr()


def test_cached_rows_are_not_saved():
    position = SinusoidPosition(16)
    size = len(pickle.dumps(position))
    expected = position(ids(1000))
    assert len(pickle.dumps(position)) == size
    assert torch.equal(copy.deepcopy(position)(ids(1000)), expected)
    assert position.state_dict() == {}


def test_rows_cached_in_inference_mode_can_be_used_in_training():
    position = SinusoidPosition(16)
    with torch.inference_mode():
        position(ids(10))
    weight = torch.ones(16, requires_grad=True)
    (position(ids(10)) * weight).sum().backward()
    assert torch.equal(weight.grad, position(ids(10)).sum(0))


def test_rows_computed_inside_grad_can_be_used_after_it():
    position = SinusoidPosition(16)
    torch.func.grad(lambda x: (x * position(ids(10))).sum())(torch.ones(10, 16))
    assert pickle.loads(pickle.dumps(position(ids(10)).clone())).shape == (10, 16)


def test_rows_are_cached_by_device():
    position = SinusoidPosition(16)
    position(ids(10))
    assert position(ids(10).to("meta")).is_meta
    assert not position(ids(10)).is_meta


def test_empty_text():
    assert SinusoidPosition(16)(ids(0)).shape == (0, 16)


@pytest.mark.parametrize("embedding_dim", [0, 1, 7])
def test_odd_dimension_raises(embedding_dim):
    with pytest.raises(
        UsageError, match=f"embedding_dim must be even, for pairs of sine and cosine, not {embedding_dim}"
    ):
        SinusoidPosition(embedding_dim)


def test_unknown_layout_raises():
    with pytest.raises(UsageError, match="layout must be 'interleaved' or 'concatenated', not 'half'"):
        SinusoidPosition(4, layout="half")
