import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from rowspace.errors import FileFormatError
from rowspace.files.transformers_folder import INDEX, MODEL, TransformersFolder

V, D = 300, 256
CODES = torch.randint(-127, 128, (V, D), generator=torch.Generator().manual_seed(0), dtype=torch.int8)
FLOATS = (CODES.float() / 127).to(torch.float8_e4m3fn)
BLOCKS = {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}


def folder_of(path, tensors, config=None):
    """Write a model folder of one file."""
    path.mkdir(parents=True)
    save_file({name: tensor.clone() for name, tensor in tensors.items()}, path / MODEL)
    if config is not None:
        (path / "config.json").write_text(json.dumps(config))
    return TransformersFolder(path)


def factors(*shape):
    """Return positive scales."""
    return torch.rand(*shape, generator=torch.Generator().manual_seed(1)) + 0.5


def expanded(scale, rows, columns):
    """Return the scale of each number of (V, D) for blocks of this size, in float64."""
    return scale.double().repeat_interleave(rows, 0)[:V].repeat_interleave(columns, 1)[:, :D].numpy()


def test_codes_times_their_scales_are_the_rows(tmp_path):
    row, tall, wide = factors(V, 1), factors(3, 2), factors(V, 8)
    per_row, one = expanded(row, 1, D), expanded(factors(1, 1), V, D)
    cases = [
        (CODES, {"SCB": row[:, 0] * 127}, None, per_row),
        (CODES, {"SCB": row[:, 0] * 127, "weight_format": torch.zeros(1, dtype=torch.uint8)}, None, per_row),
        (CODES, {"weight_scale": row.bfloat16()}, None, expanded(row.bfloat16(), 1, D)),
        (CODES, {"weight_scale": factors(1)}, None, one),
        (FLOATS, {"weight_scale": row[:, 0], "input_scale": factors(1)}, None, per_row),
        (FLOATS, {"weight_scale": factors(1)[0]}, BLOCKS, one),
        (FLOATS.float().to(torch.float8_e5m2), {"weight_scale_inv": factors(1, 1)}, None, one),
        (FLOATS, {"weight_scale_inv": tall}, BLOCKS, expanded(tall, 128, 128)),  # the last block of rows has 44
        (FLOATS, {"weight_scale": wide.half()}, None, expanded(wide.half(), 1, 32)),
        (FLOATS, {"bias": row[:, 0]}, {"model_type": "llama"}, np.ones(())),
    ]
    for number, (codes, beside, config, scale) in enumerate(cases):
        tensors = {"a.weight": codes, "b.weight_scale": row} | {f"a.{name}": part for name, part in beside.items()}
        folder = folder_of(tmp_path / str(number), tensors, config)
        found = folder.map_rows("a.weight")
        assert (found.dtype, found.shape) == (np.float32, (V, D)), number
        np.testing.assert_allclose(found, codes.double().numpy() * scale, rtol=1e-6, err_msg=str(number))
        assert folder.map_rows("a.weight", limit=130).tobytes() == found[:130].tobytes(), number


def test_scale_in_another_shard_is_found(tmp_path):
    files = {"a.weight": "one.safetensors", "a.SCB": "two.safetensors"}
    for name, tensor in {"a.weight": CODES, "a.SCB": factors(V)}.items():
        save_file({name: tensor}, tmp_path / files[name])
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": files}))
    expected = CODES.double().numpy() * factors(V).double().numpy()[:, None] / 127
    np.testing.assert_allclose(TransformersFolder(tmp_path).map_rows("a.weight"), expected, rtol=1e-6)
    save_file({"a.scb": factors(V)}, tmp_path / files["a.SCB"])
    with pytest.raises(FileFormatError, match=r"two.safetensors: the scale 'a.SCB' is missing"):
        TransformersFolder(tmp_path).map_rows("a.weight")


def test_codes_of_uncertain_meaning_are_refused_with_a_remedy(tmp_path):
    packed, row = torch.zeros(V, D // 8, dtype=torch.uint8), factors(V, 1)
    cases = [
        (CODES, {}, None),
        (CODES, {"weight_scale": row, "weight_zero_point": CODES[:, :1]}, None),  # compressed-tensors
        (CODES, {"weight_scales": row[:, 0]}, None),  # EETQ, which reorders the codes
        (CODES, {"weight_scale": factors(V, 8)}, None),  # may be 4-bit codes, two in a byte
        (CODES, {"SCB": factors(D)}, None),
        (CODES, {"SCB": row[:, 0], "weight_scale": row}, None),
        (FLOATS, {"SCB": row[:, 0]}, None),
        (FLOATS, {}, BLOCKS),
        (FLOATS, {"weight_scale_inv": factors(3, 2)}, None),  # without the size of blocks
        (FLOATS, {"weight_scale_inv": factors(2, 3)}, BLOCKS),
        (FLOATS, {"weight_scale": factors(V, 5)}, None),
        (FLOATS, {"weight_scale": factors(V, 1).to(torch.float8_e4m3fn)}, None),
        (FLOATS, {"weight_scale": row, "weight_scale_2": row[0]}, None),  # NVFP4
        (FLOATS, {"scale": row}, None),
        (packed, {"weight.absmax": row, "weight.quant_state.bitsandbytes__nf4": packed}, None),
        (packed.int(), {"scales": row, "qzeros": packed}, None),
    ]
    for number, (codes, beside, config) in enumerate(cases):
        tensors = {"a.weight": codes} | {f"a.{name}": part for name, part in beside.items()}
        folder = folder_of(tmp_path / str(number), tensors, config)
        with pytest.raises(
            FileFormatError, match=r"'a\.weight'.*; save the model without .*dequantize\(\)\.save_pretrained"
        ):
            pytest.fail(f"{number}: {folder.map_rows('a.weight')}")


def test_eight_bit_floats_with_scales_elsewhere_are_refused(tmp_path):
    for number, scale in enumerate(("m.embed_tokens_scale", "scales.m.embed_tokens", "scaled_fp8")):
        folder = folder_of(tmp_path / str(number), {"m.embed_tokens.weight": FLOATS, scale: factors(V)})
        with pytest.raises(FileFormatError, match=f"codes whose meaning is not certain, with '{scale}'"):
            folder.map_rows("m.embed_tokens.weight")
    folder = folder_of(tmp_path / "m", {"m.embed_tokens.weight": FLOATS, "m.layers.0.weight_scale": factors(V)})
    assert folder.map_rows("m.embed_tokens.weight").tobytes() == FLOATS.float().numpy().tobytes()


def test_rows_that_adapters_and_masks_change_are_refused(tmp_path):
    cases = [
        ("a.weight", "a.lora_A"),  # loralib
        ("a.weight", "a.lora_embedding_A.default"),
        ("a.base_layer.weight", "a.token_adapter.trainable_tokens_delta.default"),
        ("a.weight", "a.weight_mask"),
        ("a.weight_v", "a.weight_g"),  # of weight normalization
        ("a.parametrizations.weight.original1", "a.parametrizations.weight.original0"),
    ]
    for number, (name, change) in enumerate(cases):
        folder = folder_of(tmp_path / str(number), {name: factors(V, D), change: factors(V, 1), "b.lora_A": factors(1)})
        assert folder.holds_codes(name)
        with pytest.raises(FileFormatError, match=f"'{name}' is not the table, as '{change}' change its rows"):
            folder.map_rows(name)


def test_packed_codes_of_mlx_are_named(tmp_path):
    tensors = {"a.weight": torch.zeros(V, 8, dtype=torch.uint32), "a.scales": factors(V, 1), "a.biases": factors(V, 1)}
    with pytest.raises(FileFormatError, match=r"'a.weight' is U32, .* by MLX .*mlx_lm.convert .*--dequantize"):
        folder_of(tmp_path / "m", tensors).map_rows("a.weight")


def test_numbers_stay_mapped_whatever_lies_beside_them(tmp_path):
    rows = factors(V, D)
    folder = folder_of(tmp_path / "m", {"a.weight": rows, "a.weight_scale": factors(V, 1)}, BLOCKS)
    assert isinstance(folder.map_rows("a.weight"), np.memmap)
    assert folder.map_rows("a.weight").tobytes() == rows.numpy().tobytes()
