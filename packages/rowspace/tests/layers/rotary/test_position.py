import copy
import io

import pytest
import torch
from hypothesis import given, strategies as st
from transformers import GPTJConfig, GPTNeoXConfig, LlamaConfig
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama

from rowspace.errors import UsageError
from rowspace.layers import RotaryPosition, rotate

POSITIONS = torch.tensor([[0, 1, 2, 500, 4095], [7, 0, 0, 131071, 3]])


def heads(head_dim, *, dtype=torch.float32, count=3):
    generator = torch.Generator().manual_seed(head_dim)
    shape = (*POSITIONS.shape[:1], count, POSITIONS.shape[1], head_dim)
    return torch.randn(shape, generator=generator).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("base", [10000.0, 500000.0, 1e6])
def test_half_layout_matches_llama_bit_for_bit(base, dtype):
    # transformers' LlamaRotaryEmbedding and apply_rotary_pos_emb; every dtype, with fewer key heads
    config = LlamaConfig(
        hidden_size=64, num_attention_heads=4, rope_parameters={"rope_type": "default", "rope_theta": base}
    )
    q, k = heads(16, dtype=dtype), heads(16, dtype=dtype, count=1)
    cos, sin = llama.LlamaRotaryEmbedding(config)(q, POSITIONS)
    expected = llama.apply_rotary_pos_emb(q, k, cos, sin)
    actual = RotaryPosition(16, base=base)(q, k, POSITIONS)
    assert torch.equal(actual[0], expected[0])
    assert torch.equal(actual[1], expected[1])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_part_of_the_head_matches_gpt_neox_bit_for_bit(dtype):
    # transformers' GPTNeoXRotaryEmbedding: a quarter of each head is rotated
    config = GPTNeoXConfig(hidden_size=64, num_attention_heads=2, rotary_pct=0.25)
    q, k = heads(32, dtype=dtype), heads(32, dtype=dtype)
    cos, sin = gpt_neox.GPTNeoXRotaryEmbedding(config)(q, POSITIONS)
    expected = gpt_neox.apply_rotary_pos_emb(q, k, cos, sin)
    actual = RotaryPosition(32, rotary_dim=8)(q, k, POSITIONS)
    assert torch.equal(actual[0], expected[0])
    assert torch.equal(actual[1], expected[1])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_interleaved_layout_matches_gptj_bit_for_bit(dtype):
    # transformers' GPTJAttention, which has a table of sines and cosines
    config = GPTJConfig(n_embd=64, n_head=2, n_positions=512, rotary_dim=16)
    positions = POSITIONS.clamp(max=511)
    attention = gptj.GPTJAttention(config, layer_idx=0)
    table = attention.embed_positions[positions].to(dtype)
    sin, cos = table.chunk(2, dim=-1)
    q = heads(32, dtype=dtype)
    rotated = gptj.apply_rotary_pos_emb(q.transpose(1, 2)[..., :16], sin, cos).transpose(1, 2)
    rotary = RotaryPosition(32, layout="interleaved", rotary_dim=16)
    assert torch.equal(rotary(q, q, positions)[0], torch.cat((rotated, q[..., 16:]), dim=-1))


def test_default_positions_start_at_zero():
    q = heads(8)
    rotary = RotaryPosition(8)
    assert torch.equal(rotary(q, q)[0], rotary(q, q, torch.arange(q.shape[-2]))[0])


def test_rotate_matches_call():
    q = heads(8)
    rotary = RotaryPosition(8)
    for named, called in zip(rotary.rotate(q, q, POSITIONS), rotary(q, q, POSITIONS), strict=True):
        assert torch.equal(named, called)


@given(st.integers(-(2**20), 2**20), st.sampled_from(["half", "interleaved"]))
def test_rotation_preserves_the_norm(position, layout):
    q = heads(64)
    rotated, _ = RotaryPosition(64, layout=layout)(q, q, torch.full((5,), position))
    torch.testing.assert_close(rotated.norm(dim=-1), q.norm(dim=-1))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_upcast_rounds_once(dtype):
    q = heads(16, dtype=dtype)
    rotated, _ = RotaryPosition(16, upcast=True)(q, q, POSITIONS)
    exact, _ = RotaryPosition(16)(q.float(), q.float(), POSITIONS)
    assert torch.equal(rotated, exact.to(dtype))


def test_upcast_does_not_change_float64():
    q = heads(16, dtype=torch.float64)
    assert torch.equal(RotaryPosition(16, upcast=True)(q, q)[0], RotaryPosition(16)(q, q)[0])


def test_angles_stay_exact_in_a_model_cast_to_bfloat16():
    cos, _ = RotaryPosition(16).to(torch.bfloat16).angles(POSITIONS)
    assert torch.equal(cos, RotaryPosition(16).angles(POSITIONS)[0])


def test_frequencies_survive_the_meta_device():
    with torch.device("meta"):
        rotary = RotaryPosition(16)
    emptied = copy.deepcopy(rotary).to("meta").to_empty(device="cpu")
    for module in (rotary, emptied):
        assert torch.equal(module.frequencies, RotaryPosition(16).frequencies)


def test_shapes_flow_through_the_meta_device():
    q = torch.empty(2, 3, 5, 16, device="meta")
    assert RotaryPosition(16)(q, q)[0].shape == q.shape


def test_state_is_empty():
    assert RotaryPosition(16).state_dict() == {}
    file = io.BytesIO()
    torch.save(RotaryPosition(16), file)
    file.seek(0)
    again = torch.load(file, weights_only=False)
    assert torch.equal(again.angles(POSITIONS)[0], RotaryPosition(16).angles(POSITIONS)[0])


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_gradient_is_the_inverse_rotation(layout):
    cos, sin = RotaryPosition(8, layout=layout).angles(torch.arange(5))
    x = heads(8, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: rotate(x, cos, sin, layout=layout), x)


@pytest.mark.parametrize("rotary_dim", [0, -2, 3, 10])
def test_invalid_rotary_dim_raises(rotary_dim):
    with pytest.raises(UsageError, match=f"rotary_dim must be even and between 2 and head_dim = 8, not {rotary_dim}"):
        RotaryPosition(8, rotary_dim=rotary_dim)


@pytest.mark.parametrize("base", [0.0, 1.0, -5.0])
def test_base_of_1_or_less_raises(base):
    with pytest.raises(UsageError, match=f"base must be above 1 and finite, so that frequencies decrease, not {base}"):
        RotaryPosition(8, base=base)


def test_unknown_layout_raises():
    with pytest.raises(UsageError, match="layout must be 'half' or 'interleaved', not 'neox'"):
        rotate(torch.ones(4), torch.ones(2), torch.zeros(2), layout="neox")
    with pytest.raises(UsageError, match="layout must be 'half' or 'interleaved', not 'neox'"):
        RotaryPosition(8, layout="neox")


@pytest.mark.parametrize("count", [1, 4, 6])
def test_another_number_of_positions_raises(count):
    with pytest.raises(UsageError, match=f"q or k has 5 tokens, but there are {count} positions?"):
        RotaryPosition(8)(heads(8), heads(8), torch.arange(count))


def test_another_head_dim_raises():
    with pytest.raises(UsageError, match=r"16 components per head, .* head_dim = 8"):
        RotaryPosition(8)(heads(16), heads(16))


def test_integers_and_single_vectors_raise():
    for wrong in (torch.ones(1, 2, 3, 8, dtype=torch.int64), torch.ones(8)):
        with pytest.raises(UsageError, match=r"must be floats of shape \(..., heads, seq, head_dim\), got torch"):
            RotaryPosition(8)(wrong, wrong)


def test_positions_of_more_texts_than_the_batch_raise():
    q = torch.ones(1, 2, 3, 4)  # would be broadcast to two texts
    with pytest.raises(UsageError, match=r"positions of shape \(2, 3\) do not match q or k of shape \(1, 2, 3, 4\)"):
        RotaryPosition(4)(q, q, torch.zeros(2, 3))


def test_queries_that_are_not_tensors_raise():
    q = torch.ones(1, 2, 3, 4).numpy()
    with pytest.raises(UsageError, match="q and k must be a tensor, not a NumPy array"):
        RotaryPosition(4)(q, q)
