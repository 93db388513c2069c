import json
import os

import numpy as np
import pytest
import torch
from safetensors.numpy import load, save_file
from safetensors.torch import save_file as save_torch_file

from rowspace.errors import FileFormatError
from rowspace.files import tensors
from rowspace.files.safetensors_header import Tensor
from rowspace.table import Table

ROWS = np.eye(4, 3, dtype=np.float32)


def bfloat16(rows):
    """Return the upper 16 bits of each float32."""
    return (rows.view(np.uint32) >> 16).astype(np.uint16)


@pytest.mark.parametrize("limit", [None, 1, 4, 9])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.int64])
def test_tensors_are_memory_mapped(tmp_path, dtype, limit):
    rows = np.arange(12).reshape(4, 3).astype(dtype)
    save_file({"a": rows[::-1].copy(), "b": rows, "c": rows[0]}, tmp_path / "t")
    found = tensors.map_tensor(tmp_path / "t", "b", limit=limit)
    assert isinstance(found, np.memmap)
    assert not found.flags.writeable
    assert (found.dtype, found.tobytes()) == (dtype, rows[:limit].tobytes())
    assert tensors.map_tensor(tmp_path / "t", "c", limit=limit).tobytes() == rows[0][:limit].tobytes()


def test_bfloat16_converts_to_float32_as_in_torch(tmp_path):
    import torch
    from safetensors.torch import save_file as save_torch_file

    every = torch.arange(1 << 16, dtype=torch.int32).to(torch.uint16).view(torch.bfloat16).reshape(-1, 16)
    save_torch_file({"a": every}, tmp_path / "t")
    found = tensors.map_tensor(tmp_path / "t", "a")
    assert found.tobytes() == every.float().numpy().tobytes()  # including signs of zeros and NaN payloads
    assert tensors.map_tensor(tmp_path / "t", "a", limit=3).tobytes() == every[:3].float().numpy().tobytes()


def test_int8_converts_to_float32_with_equal_values(tmp_path):
    rows = np.arange(-128, 128).astype(np.int8).reshape(-1, 2)
    save_file({"a": rows}, tmp_path / "t")
    found = tensors.map_tensor(tmp_path / "t", "a")
    assert found.dtype == np.float32
    assert (found == rows).all()


def test_unaligned_tensor_is_read(tmp_path):
    data = np.arange(6, dtype="<f4").tobytes()
    header = {
        "a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
        "b": {"dtype": "F32", "shape": [2, 3], "data_offsets": [1, 25]},
    }
    text = json.dumps(header).encode()
    (tmp_path / "t").write_bytes(len(text).to_bytes(8, "little") + text + b"x" + data)
    assert load((tmp_path / "t").read_bytes())["b"].tolist() == [[0, 1, 2], [3, 4, 5]]  # the library reads it
    table = Table(["a", "b"], tensors.map_tensor(tmp_path / "t", "b"))
    assert table.norms.tolist() == np.sqrt([5.0, 50.0]).tolist()


@pytest.mark.parametrize("dtype", ["F16", "F32", "F64", "BF16", "I8"])
@pytest.mark.parametrize("shape", [[0], [0, 3], [3, 0], [0, 0]])
def test_empty_tensor_keeps_its_shape(tmp_path, write_header, dtype, shape):
    write_header(tmp_path / "t", {"a": {"dtype": dtype, "shape": shape, "data_offsets": [0, 0]}})
    found = tensors.map_tensor(tmp_path / "t", "a")
    assert list(found.shape) == shape
    assert found.dtype.kind == "f"


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [("F32", []), ("F32", [1] * 3), ("F32", [1] * 70), ("BOOL", [4]), ("U8", [2, 2])],
)
def test_tensor_of_unsuitable_shape_or_dtype_is_refused(tmp_path, write_header, dtype, shape):
    path = write_header(tmp_path / "t", {"a": {"dtype": dtype, "shape": shape, "data_offsets": [0, 4]}}, bytes(4))
    with pytest.raises(FileFormatError, match=rf"t: tensor 'a' is {dtype} of shape \(.*\), which cannot be rows"):
        tensors.map_tensor(path, "a", limit=1)


@pytest.mark.parametrize("shape", [[2**62, 0], [0, 2**62], [0, 2**41]])
def test_huge_shapes_of_zero_bytes_are_refused(tmp_path, write_header, shape):
    path = write_header(tmp_path / "t", {"a": {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]}})
    with pytest.raises(FileFormatError, match=r"'a' is F32 of shape .* which cannot be rows"):
        tensors.map_tensor(path, "a")


def test_missing_tensor_error_lists_the_tensors(tmp_path):
    save_file({"a": ROWS, "b": ROWS}, tmp_path / "t")
    with pytest.raises(FileFormatError, match="t: holds no tensor 'c', but 'a', 'b'"):
        tensors.map_tensor(tmp_path / "t", "c")
    assert tensors.holds_tensor(tmp_path / "t", "a")
    assert not tensors.holds_tensor(tmp_path / "t", "c")


def test_holds_tensor_is_false_for_anything_unreadable(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "text").write_text("no tensors, but words")
    for name in ("pipe", "loop", "text", "", "missing", "text/below"):
        assert not tensors.holds_tensor(tmp_path / name, "a")


@pytest.mark.parametrize(
    ("dtype", "shape", "can_be"),
    [("F16", (4, 3), True), ("BF16", (4, 3), True), ("I8", (4, 3), True), ("F32", (4,), False), ("I64", (4, 3), False)],
)
def test_can_be_rows_accepts_only_float_and_int8_matrices(dtype, shape, can_be):
    assert tensors.can_be_rows(Tensor(dtype, shape, 0, 0)) == can_be


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("unknown_rows", [0, 2])
def test_safetensors_library_reads_the_concatenated_pieces(dtype, order, unknown_rows):
    rows = np.asarray(np.random.default_rng(0).standard_normal((7, 3)).astype(dtype), order=order)
    pieces = tensors.tensor_pieces("embeddings", rows, unknown_rows, at_once=20)  # one to three rows at a time
    content = b"".join(map(bytes, pieces))
    found = load(content)["embeddings"]
    assert found.dtype == rows.dtype.newbyteorder("=")
    assert (found == np.vstack([rows, np.zeros((unknown_rows, 3))])).all()


@pytest.mark.parametrize(("dtype", "name"), [(torch.float8_e4m3fn, "F8_E4M3"), (torch.float8_e5m2, "F8_E5M2")])
def test_eight_bit_floats_convert_to_float32_as_in_torch(tmp_path, dtype, name):
    values = torch.arange(256, dtype=torch.uint8).view(dtype).reshape(64, 4)
    save_torch_file({"w": values}, tmp_path / "t")
    found = tensors.read_tensors(tmp_path / "t")
    assert (found["w"].dtype, tensors.can_be_rows(found["w"])) == (name, True)
    np.testing.assert_array_equal(tensors.map_tensor(tmp_path / "t", "w"), values.to(torch.float32).numpy())
