"""The attention modules of recipes opened from a checkpoint match transformers' bit for bit."""

import json
import sys

import pytest
import torch
from tests.layers.recipes.text_models import MODELS, saved
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

from rowspace.errors import UsageError
from rowspace.layers import from_checkpoint

ROTARY = ["llama", "llama 3.1", "mistral", "qwen2", "qwen3", "gemma", "gemma2"]
POSITIONS = torch.tensor([[0, 1, 2, 3, 4], [5, 6, 700, 8, 9]])


def turned_by(model, q, k, **layer):
    """transformers' rotation, from the module of the model."""
    rotary = type(model.base_model.rotary_emb)(model.config)  # again: `model.to(bfloat16)` rounds its frequencies
    cos, sin = rotary(q, POSITIONS, **layer)
    return sys.modules[type(model).__module__].apply_rotary_pos_emb(q, k, cos, sin)


def assert_same_turn(rotary, model, dtype, **layer):
    q, k = torch.randn(2, 2, 5, 8, dtype=dtype), torch.randn(2, 1, 5, 8, dtype=dtype)
    for actual, expected in zip(rotary(q, k, POSITIONS), turned_by(model, q, k, **layer), strict=True):
        assert torch.equal(actual, expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", ROTARY)
def test_rotation_of_queries_and_keys_matches_the_model(name, dtype, tmp_path):
    model = MODELS[name].made(dtype)
    assert_same_turn(from_checkpoint(saved(model, tmp_path)).rotary, model, dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", ["gemma3_text", "modernbert"])
def test_rotation_of_each_layer_type_matches_the_model(name, dtype, tmp_path):
    model = MODELS[name].made(dtype)
    embed = from_checkpoint(saved(model, tmp_path))
    assert_same_turn(embed.rotary, model, dtype, layer_type="full_attention")
    assert_same_turn(embed.sliding_rotary, model, dtype, layer_type="sliding_attention")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", ["t5", "mt5"])
@torch.no_grad()
def test_t5_bias_of_both_stacks_matches_the_model(name, dtype, tmp_path):
    model = MODELS[name].made(dtype)
    embed = from_checkpoint(saved(model, tmp_path))
    places = torch.arange(200)
    for bias, stack in ((embed.relative_bias, model.encoder), (embed.decoder_relative_bias, model.decoder)):
        expected = stack.block[0].layer[0].SelfAttention.compute_bias(200, 200)
        assert torch.equal(bias(places, places), expected[0])


@pytest.mark.parametrize("pair", [True, False])
def test_t5_encoder_has_no_decoder_bias(pair, tmp_path):
    folder = saved(MODELS["t5, encoder"].made(), tmp_path)
    config = json.loads((folder / "config.json").read_text())  # older ones have true here
    (folder / "config.json").write_text(json.dumps(config | {"is_encoder_decoder": pair}))
    assert not hasattr(from_checkpoint(folder), "decoder_relative_bias")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_bloom_bias_skips_padding(dtype, tmp_path):
    mask = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1]])
    alibi = from_checkpoint(saved(MODELS["bloom"].made(dtype), tmp_path)).alibi
    assert torch.equal(alibi.key_bias(mask, dtype=dtype).flatten(0, 1), build_alibi_tensor(mask, 2, dtype))


def test_mpt_bias_has_one_row_for_all_queries(tmp_path):
    alibi = from_checkpoint(saved(MODELS["mpt"].made(), tmp_path)).alibi
    assert torch.equal(alibi(torch.tensor([29]), torch.arange(30)), build_mpt_alibi_tensor(2, 30))


def test_position_ids_of_roberta_are_positions_plus_offset(tmp_path):
    # transformers' position_ids of a RobertaModel start at padding_idx + 1
    model = MODELS["roberta"].made()
    embed = from_checkpoint(saved(model, tmp_path))
    ids, positions = torch.tensor([[2, 5, 39, 3]]), torch.tensor([[0, 1, 7, 2]])
    expected = model.embeddings(input_ids=ids, position_ids=positions + model.config.pad_token_id + 1)
    assert torch.equal(embed(ids, positions=positions), expected)
    with pytest.raises(UsageError, match=r"offset = 2 is added to them, so subtract it from row numbers"):
        embed(ids, positions=torch.full((1, 4), embed.positions.max_positions))
