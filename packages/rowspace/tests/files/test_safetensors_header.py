import io
import json
import tracemalloc

import numpy as np
import pytest
import safetensors
import torch
from safetensors.numpy import load, save
from safetensors.torch import save_file as save_torch_file

from rowspace.errors import FileFormatError
from rowspace.files.safetensors_header import Tensor, header_bytes, read_header


def content(header: object, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(begin: int, end: int, dtype: object = "U8", shape: object = None) -> dict[str, object]:
    return {"dtype": dtype, "shape": [end - begin] if shape is None else shape, "data_offsets": [begin, end]}


def test_safetensors_library_reads_the_header():
    rows = np.arange(6, dtype=np.float16).reshape(3, 2)
    ids = np.arange(4)
    data = header_bytes({"ids": ("I64", (4,)), "rows": ("F16", (3, 2))}) + ids.tobytes() + rows.tobytes()
    read = load(data)
    assert (read["rows"] == rows).all()
    assert (read["ids"] == ids).all()


def test_headers_written_by_the_safetensors_library_are_read():
    arrays = {
        "a": np.arange(3.0),
        "b": np.zeros((2, 0), np.float32),
        "c": np.array(True),
        "d": np.ones(5, np.int8),
    }
    data = save(arrays, metadata={"format": "pt"})
    for name, tensor in read_header(io.BytesIO(data), "x").items():
        assert tensor.shape == arrays[name].shape
        assert data[tensor.offset : tensor.offset + tensor.size] == arrays[name].tobytes()


@pytest.mark.parametrize("width", range(1, 80))
def test_first_tensor_is_cache_line_aligned(width):
    data = header_bytes({"n" * width: ("U8", (1,))}) + b"x"
    assert read_header(io.BytesIO(data), "x")["n" * width].offset % 64 == 0


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "ends at byte 0, within its 8-byte header length"),
        (b"1234567", "ends at byte 7"),
        ((100_000_001).to_bytes(8, "little"), "header of 100,000,001 bytes, but the cap is 100,000,000"),
        (b"\xff" * 8, "the cap is"),
        ((3).to_bytes(8, "little") + b"{}", "header of 3 bytes, but the file has 2 after it"),
        (content(b"{} x"), "byte 11: not valid JSON"),
        (content(b'{"a": 1, "a": 1}'), "'a' is duplicated"),
        (content({"__metadata__": {"a": 1}}), "__metadata__ must hold text"),
        (content({"__metadata__": []}), "__metadata__ must hold text"),
        (content({"a": 5}), "tensor 'a': its header entry must hold"),
        (content({"a": {**entry(0, 1), "more": 1}}, b"x"), "tensor 'a': its header entry must hold"),
        (content({"a": entry(0, 1, "Q8")}, b"x"), "tensor 'a': unknown dtype 'Q8'"),
        (content({"a": entry(0, 1, ["U8"])}, b"x"), "unknown dtype"),
        (content({"a": entry(0, 1, shape=1)}, b"x"), "shape 1 is not a list of sizes"),
        (content({"a": entry(0, 1, shape=[True])}, b"x"), "not a list of sizes"),
        (content({"a": entry(0, 1, shape=[-1, -1])}, b"x"), "not a list of sizes"),
        (content({"a": entry(0, 1, shape=[1.0])}, b"x"), "not a list of sizes"),
        (content({"a": {**entry(0, 1), "data_offsets": [0]}}, b"x"), "not two offsets"),
        (content({"a": {**entry(0, 1), "data_offsets": [0, 2**63]}}, b"x"), "not two offsets"),
        (content({"a": {**entry(0, 1), "data_offsets": "01"}}, b"x"), "not two offsets"),
        (content({"a": entry(1, 0, shape=[])}, b"x"), "does not fill the bytes 1 to 0"),
        (
            content({"a": entry(0, 4, "F32", [2])}, b"xxxx"),
            r"F32 of shape \[2\] does not fill the bytes 0 to 4",
        ),
        (content({"a": entry(0, 8, "U8", [2**62, 2**62])}, b"x" * 8), "does not fill"),
        (content({"a": entry(1, 2)}, b"xx"), "tensor 'a' begins at byte .*: there is a gap before it"),
        (content({"a": entry(0, 2), "b": entry(1, 3)}, b"xxx"), "tensor 'b' begins .*: it overlaps"),
        (content({"a": entry(0, 2)}, b"x"), "ends at byte .*, but its tensors end at"),
        (content({"a": entry(0, 2)}, b"xxx"), "ends at byte .*, but its tensors end at"),
    ],
)
def test_invalid_header_is_refused(data, complaint):
    with pytest.raises(FileFormatError, match=f"^x: .*{complaint}"):
        read_header(io.BytesIO(data), "x")


def test_empty_tensor_between_two_others_is_allowed():
    data = content({"a": entry(0, 2), "b": entry(2, 2), "c": entry(2, 3)}, b"xyz")
    assert read_header(io.BytesIO(data), "x")["b"] == Tensor("U8", (0,), len(data) - 1, 0)


def test_changed_byte_is_refused_or_read_as_the_library_reads_it():
    data = header_bytes({"a": ("F32", (2, 3)), "b": ("U8", (1,))}) + bytes(25)
    for place in range(len(data) - 25):
        for value in range(256):
            damaged = data[:place] + bytes([value]) + data[place + 1 :]
            try:
                tensors = read_header(io.BytesIO(damaged), "x")
            except FileFormatError:
                continue
            library = {name: array.shape for name, array in load(damaged).items()}
            assert {name: tensor.shape for name, tensor in tensors.items()} == library


def test_truncated_header_is_refused_here_and_by_the_library():
    data = header_bytes({"a": ("F32", (2, 3))}) + bytes(24)
    for length in range(len(data)):
        with pytest.raises(FileFormatError):
            read_header(io.BytesIO(data[:length]), "x")
        with pytest.raises(safetensors.SafetensorError):
            load(data[:length])


@pytest.mark.long
@pytest.mark.parametrize(
    ("length", "complaint"), [(100_000_000, "not valid JSON"), (100_000_001, "the cap is 100,000,000")]
)
def test_header_larger_than_the_limit_is_refused(tmp_path, length, complaint):
    with (tmp_path / "t").open("w+b") as file:
        file.write(length.to_bytes(8, "little"))
        file.truncate(8 + length)  # sparse: reads as NULs
        with pytest.raises(FileFormatError, match=complaint):
            read_header(file, "x")


@pytest.mark.long
def test_header_with_too_many_tensors_is_refused_before_parsing():
    data = content({f"t{number}": entry(0, 0) for number in range(150_000)})
    tracemalloc.start()
    with pytest.raises(FileFormatError, match=r"byte 8: a header of 1,\d+,\d+ JSON values, for more than 100,000"):
        read_header(io.BytesIO(data), "x")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * len(data)


def test_every_dtype_that_torch_saves_is_supported(tmp_path):
    dtypes = (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e8m0fnu, torch.float8_e4m3fnuz, torch.complex64)
    for dtype in (*dtypes, torch.bool, torch.uint8, torch.int8, torch.uint16, torch.bfloat16, torch.uint64):
        save_torch_file({"a": torch.zeros(24, dtype=torch.uint8).view(dtype)}, tmp_path / "t")
        with (tmp_path / "t").open("rb") as file:
            assert read_header(file, "t")["a"].size == 24
