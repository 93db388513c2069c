import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.layers.recipes.text_models import MODELS, saved
from transformers import CanineConfig, CanineModel

from rowspace.errors import FileFormatError, UsageError
from rowspace.layers import RotaryPosition, from_checkpoint, from_config

IDS = torch.tensor([[2, 5, 39, 0], [1, 8, 30, 3]])


def rewritten(folder, change):
    """Apply changes to the tensors of a checkpoint by name."""
    path = folder / "model.safetensors"
    save_file(change(load_file(path)), path)
    return folder


@pytest.mark.parametrize("name", ["bert", "albert", "t5", "gemma3_text"])
def test_sharded_checkpoint_gives_the_same_module(name, tmp_path):
    model = MODELS[name].made()
    full = from_checkpoint(saved(model, tmp_path / "full"))
    parts = saved(model, tmp_path / "parts", max_shard_size="1KB")
    assert len(list(parts.glob("*.safetensors"))) > 2
    sharded = from_checkpoint(parts)
    for key, tensor in full.state_dict().items():
        assert torch.equal(sharded.state_dict()[key], tensor)


def test_snapshot_in_the_cache_of_huggingface_hub_opens(tmp_path):
    folder = saved(MODELS["bert"].made(), tmp_path / "full")
    expected = from_checkpoint(folder)(IDS)
    blobs, snapshot = (tmp_path / "models--org--name" / name for name in ("blobs", "snapshots/0123abc"))
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    for number, path in enumerate(sorted(folder.iterdir())):
        path.rename(blobs / f"{number:040x}")
        (snapshot / path.name).symlink_to(f"../../blobs/{number:040x}")
    assert torch.equal(from_checkpoint(snapshot)(IDS), expected)


def test_only_the_needed_shards_are_opened(tmp_path):
    folder = saved(MODELS["bert"].made(), tmp_path, max_shard_size="1KB")
    files = json.loads((folder / "model.safetensors.index.json").read_text())["weight_map"]
    needed = {file for name, file in files.items() if name.startswith("embeddings.")}
    for file in set(files.values()) - needed:
        (folder / file).write_bytes(b"not read")
    from_checkpoint(folder)(IDS)


def test_norms_with_the_names_of_the_first_release(tmp_path):
    model = MODELS["bert, with a head"].made()
    names = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}

    def renamed(tensors):
        for new, old in names.items():
            tensors = {name.replace(new, old): tensor for name, tensor in tensors.items()}
        return tensors

    expected = from_checkpoint(saved(model, tmp_path))(IDS)
    assert torch.equal(from_checkpoint(rewritten(tmp_path, renamed))(IDS), expected)


def test_weights_require_gradients(tmp_path):
    embed = from_checkpoint(saved(MODELS["bert"].made(), tmp_path))
    assert not embed.training
    assert all(parameter.requires_grad and parameter.is_leaf for parameter in embed.parameters())
    embed.train()(IDS).sum().backward()
    assert embed.tokens.weight.grad is not None


def test_padding_row_is_that_of_the_checkpoint(tmp_path):
    model = MODELS["bert"].made()
    embed = from_checkpoint(saved(model, tmp_path))
    assert embed.tokens.padding_idx == 1
    assert torch.equal(embed.tokens.weight, model.embeddings.word_embeddings.weight)
    assert embed.tokens.weight[1].abs().sum() > 0


def test_gradients_match_the_model(tmp_path):
    # transformers' BertModel: the padding row of the words gets no gradient, that of the positions does
    model = MODELS["bert"].made()
    embed = from_checkpoint(saved(model, tmp_path))
    embed(IDS, IDS % 2).square().sum().backward()
    model.embeddings(IDS, IDS % 2).square().sum().backward()
    theirs = model.embeddings
    for ours, their in (
        (embed.tokens.weight, theirs.word_embeddings.weight),
        (embed.segments.weight, theirs.token_type_embeddings.weight),
        (embed.positions.weight, theirs.position_embeddings.weight),
        (embed.norm.weight, theirs.LayerNorm.weight),
    ):
        torch.testing.assert_close(ours.grad, their.grad, rtol=1e-5, atol=1e-5)


def test_table_of_another_size_than_in_the_config_raises(tmp_path):
    folder = saved(MODELS["llama"].made(), tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"vocab_size": 41}))
    message = r"'model.embed_tokens.weight' is torch.float32 of shape \(40, 16\), but .* floats of shape \(41, 16\)"
    with pytest.raises(FileFormatError, match=message):
        from_checkpoint(folder)


def test_config_that_a_layer_refuses_raises_the_error_of_the_layer(tmp_path):
    folder = saved(MODELS["llama"].made(), tmp_path)
    config = json.loads((folder / "config.json").read_text()) | {"vocab_size": 0}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(UsageError, match="num_embeddings"):
        from_checkpoint(folder)


def test_config_with_impossible_sizes_raises(tmp_path):
    folder = saved(MODELS["llama"].made(), tmp_path)
    config = json.loads((folder / "config.json").read_text()) | {"vocab_size": 2**62}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(FileFormatError, match=r"no model can be built from config\.json"):
        from_checkpoint(folder)


def test_codes_of_a_quantized_table_are_scaled_or_refused(tmp_path):
    folder = saved(MODELS["llama"].made(), tmp_path)
    table = from_checkpoint(folder).tokens.weight.detach()
    name, scale = "model.embed_tokens.weight", table.abs().amax(1)
    codes = (table / scale[:, None] * 127).round().to(torch.int8)
    rewritten(folder, lambda tensors: tensors | {name: codes, name.replace("weight", "SCB"): scale})
    expected = codes.double() * scale.double()[:, None] / 127  # as bitsandbytes
    torch.testing.assert_close(from_checkpoint(folder).tokens.weight.double(), expected, rtol=1e-6, atol=0)
    codes = table.to(torch.float8_e4m3fn)
    others = {name: codes, f"{name}_scale_inv": torch.tensor([[0.5]])}
    rewritten(folder, lambda tensors: {key: tensors[key] for key in tensors if "SCB" not in key} | others)
    assert torch.equal(from_checkpoint(folder).tokens.weight, codes.float() * 0.5)
    for kind in (torch.int8, torch.uint8):
        rewritten(folder, lambda tensors, kind=kind: {key: tensor.to(kind) for key, tensor in tensors.items()})
        with pytest.raises(FileFormatError, match=r"which are not read as rows; save the model without quantization"):
            from_checkpoint(folder)


def test_model_without_a_recipe_raises():
    message = (
        r"model_type is 'llamas', which has no recipe \(similar names: .*llama.*; RECIPES has all names\); compose"
    )
    with pytest.raises(UsageError, match=message):
        from_config({"model_type": "llamas"})


def test_model_that_changes_the_input_of_a_part_raises():
    config = {"model_type": "grounding-dino", "text_config": {"model_type": "bert"}}
    with pytest.raises(UsageError, match="model_type is 'grounding-dino', which has no recipe"):
        from_config(config)


def test_part_named_otherwise_than_text_and_vision_opens():
    inner = {"model_type": "dinov2", "hidden_size": 8, "image_size": 28}
    with torch.device("meta"):
        assert from_config({"model_type": "depth_anything", "backbone_config": inner}).patches.weight.shape[0] == 8


def test_part_of_a_model_without_parts_raises():
    with pytest.raises(UsageError, match="part is 'text', but a 'bert' has no parts; omit it"):
        from_config({"model_type": "bert"}, part="text")


def test_size_that_is_not_a_number_raises():
    with pytest.raises(UsageError, match="the config's hidden_size is 'wide', but must be a number"):
        from_config({"model_type": "bert", "hidden_size": "wide"})


def test_missing_entries_have_defaults():
    assert from_config({"model_type": "bert", "hidden_size": 8}).tokens.weight.shape == (30522, 8)


def test_roberta_without_padding_id_raises():
    with pytest.raises(UsageError, match="pad_token_id is null, but position ids start after it"):
        from_config({"model_type": "roberta", "pad_token_id": None})


def test_marian_without_d_model_raises():
    with pytest.raises(UsageError, match="the config has no d_model"):
        from_config({"model_type": "marian", "d_model": None})


def test_mpt_without_alibi_raises():
    with pytest.raises(UsageError, match="alibi: false"):
        from_config({"model_type": "mpt", "attn_config": {"alibi": False}})


# The entries for the input in the config.json of these models on the Hub.
def meta(config):
    with torch.device("meta"):
        return from_config(config)


def test_config_of_llama_3_1():
    scaling = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "rope_type": "llama3"}
    scaling["original_max_position_embeddings"] = 8192
    config = {"model_type": "llama", "vocab_size": 128256, "hidden_size": 4096, "num_attention_heads": 32}
    embed = meta(config | {"rope_theta": 500000.0, "rope_scaling": scaling})
    assert embed.tokens.weight.shape == (128256, 4096)
    assert (embed.rotary.head_dim, embed.rotary.base, embed.rotary.scaling.factor) == (128, 500000.0, 8.0)


def test_config_of_gemma_3_4b():
    inner = {"hidden_size": 2560, "model_type": "gemma3_text", "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}
    embed = meta({"model_type": "gemma3", "text_config": inner, "vision_config": {"model_type": "unknown"}})
    assert embed.tokens.weight.shape == (262208, 2560)
    assert (embed.rotary.head_dim, embed.rotary.base, embed.rotary.scaling.factor) == (256, 1e6, 8.0)
    assert (embed.sliding_rotary.base, type(embed.sliding_rotary.scaling).__name__) == (10000.0, "RotaryScaling")


def test_config_of_modernbert():
    sizes = {"vocab_size": 50368, "hidden_size": 768, "num_attention_heads": 12, "pad_token_id": 50283}
    rope = {"global_rope_theta": 160000.0, "local_rope_theta": 10000.0}
    embed = meta({"model_type": "modernbert", "norm_eps": 1e-5, "norm_bias": False, **sizes, **rope})
    assert (embed.rotary.base, embed.sliding_rotary.base, embed.rotary.head_dim) == (160000.0, 10000.0, 64)
    assert embed.norm.bias is None


def test_config_of_bloom():
    embed = meta({"model_type": "bloom", "vocab_size": 250880, "n_embed": 14336, "num_attention_heads": 112})
    assert (embed.tokens.weight.shape, embed.alibi.num_heads) == ((250880, 14336), 112)


def test_config_of_roberta():
    embed = meta({"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1, "type_vocab_size": 1})
    assert (embed.positions.max_positions, embed.positions.weight.shape[0]) == (512, 514)


def test_config_of_qwen3():
    embed = meta({"model_type": "qwen3", "hidden_size": 1024, "num_attention_heads": 16, "rope_theta": 1000000})
    assert isinstance(embed.rotary, RotaryPosition)
    assert (embed.rotary.head_dim, embed.rotary.base) == (128, 1000000)


def test_rotation_of_t5gemma_2_is_that_of_its_encoder():
    rope = {"full_attention": {"rope_theta": 5.0}, "sliding_attention": {"rope_theta": 7.0}}
    text = {"vocab_size": 10, "hidden_size": 8, "head_dim": 16, "rope_parameters": rope}
    embed = from_config({"model_type": "t5gemma2", "vocab_size": 10, "encoder": {"text_config": text}})
    assert (embed.rotary.base, embed.sliding_rotary.base, embed.rotary.head_dim) == (5.0, 7.0, 16)


def test_parts_of_a_table_that_do_not_fit_together_raise(tmp_path):
    sizes = {"hidden_size": 16, "num_attention_heads": 2, "num_hidden_layers": 1, "intermediate_size": 8}
    model = CanineModel(CanineConfig(**sizes, num_hash_buckets=20, downsampling_rate=2, upsampling_kernel_size=2))
    name = "char_embeddings.HashBucketCodepointEmbedder_3.weight"
    folder = rewritten(saved(model, tmp_path), lambda tensors: tensors | {name: tensors[name][:, :1].contiguous()})
    with pytest.raises(
        FileFormatError, match=r"Embedder_7.weight' are parts of one table, but of shapes that do not fit"
    ):
        from_checkpoint(folder)
