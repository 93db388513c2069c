import json
import os

import numpy as np
import pytest
import torch
from safetensors.numpy import load, save_file
from safetensors.torch import save_file as save_torch_file
from tokenizers import AddedToken, Tokenizer

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.files.safetensors_header import Tensor
from rowspace.store import tensors
from rowspace.table import Table

ROWS = np.eye(4, 3, dtype=np.float32)


def bfloat16(rows):
    """The upper halves of float32, as their bits."""
    return (rows.view(np.uint32) >> 16).astype(np.uint16)


@pytest.mark.parametrize("limit", [None, 1, 4, 9])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.int64])
def test_tensors_are_mapped(tmp_path, dtype, limit):
    rows = np.arange(12).reshape(4, 3).astype(dtype)
    save_file({"a": rows[::-1].copy(), "b": rows, "c": rows[0]}, tmp_path / "t")
    found = tensors.map_tensor(tmp_path / "t", "b", limit=limit)
    assert isinstance(found, np.memmap)
    assert not found.flags.writeable
    assert (found.dtype, found.tobytes()) == (dtype, rows[:limit].tobytes())
    assert tensors.map_tensor(tmp_path / "t", "c", limit=limit).tobytes() == rows[0][:limit].tobytes()


def test_bfloat16_becomes_the_same_numbers_as_torch_makes_of_it(tmp_path):
    import torch
    from safetensors.torch import save_file as save_torch_file

    every = torch.arange(1 << 16, dtype=torch.int32).to(torch.uint16).view(torch.bfloat16).reshape(-1, 16)
    save_torch_file({"a": every}, tmp_path / "t")
    found = tensors.map_tensor(tmp_path / "t", "a")
    assert found.tobytes() == every.float().numpy().tobytes()  # the signs of zeros and what nan carries, too
    assert tensors.map_tensor(tmp_path / "t", "a", limit=3).tobytes() == every[:3].float().numpy().tobytes()


def test_int8_becomes_the_same_numbers_in_float32(tmp_path):
    rows = np.arange(-128, 128).astype(np.int8).reshape(-1, 2)
    save_file({"a": rows}, tmp_path / "t")
    found = tensors.map_tensor(tmp_path / "t", "a")
    assert found.dtype == np.float32
    assert (found == rows).all()


def test_a_tensor_that_begins_at_an_odd_byte_is_read(tmp_path):
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
def test_a_tensor_without_numbers_has_its_shape(tmp_path, write_header, dtype, shape):
    write_header(tmp_path / "t", {"a": {"dtype": dtype, "shape": shape, "data_offsets": [0, 0]}})
    found = tensors.map_tensor(tmp_path / "t", "a")
    assert list(found.shape) == shape
    assert found.dtype.kind == "f"


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [("F32", []), ("F32", [1] * 3), ("F32", [1] * 70), ("BOOL", [4]), ("U8", [2, 2])],
)
def test_what_cannot_be_rows_is_refused(tmp_path, write_header, dtype, shape):
    path = write_header(tmp_path / "t", {"a": {"dtype": dtype, "shape": shape, "data_offsets": [0, 4]}}, bytes(4))
    with pytest.raises(
        FileFormatError, match=rf"t: tensor 'a' is {dtype} of shape \(.*\), of which no rows can be made"
    ):
        tensors.map_tensor(path, "a", limit=1)


@pytest.mark.parametrize("shape", [[2**62, 0], [0, 2**62], [0, 2**41]])
def test_shapes_that_are_absurd_are_refused_though_they_take_no_bytes(tmp_path, write_header, shape):
    path = write_header(tmp_path / "t", {"a": {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]}})
    with pytest.raises(FileFormatError, match=r"'a' is F32 of shape .* of which no rows"):
        tensors.map_tensor(path, "a")


def test_a_tensor_that_is_not_there_is_told_which_are(tmp_path):
    save_file({"a": ROWS, "b": ROWS}, tmp_path / "t")
    with pytest.raises(FileFormatError, match="t: holds no tensor 'c', but 'a', 'b'"):
        tensors.map_tensor(tmp_path / "t", "c")
    assert tensors.holds_tensor(tmp_path / "t", "a")
    assert not tensors.holds_tensor(tmp_path / "t", "c")


def test_whether_a_file_holds_a_tensor_is_asked_of_anything(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "text").write_text("no tensors, but words")
    for name in ("pipe", "loop", "text", "", "missing", "text/below"):
        assert not tensors.holds_tensor(tmp_path / name, "a")


@pytest.mark.parametrize(
    ("dtype", "shape", "can_be"),
    [("F16", (4, 3), True), ("BF16", (4, 3), True), ("I8", (4, 3), True), ("F32", (4,), False), ("I64", (4, 3), False)],
)
def test_rows_are_two_dimensional_numbers(dtype, shape, can_be):
    assert tensors.can_be_rows(Tensor(dtype, shape, 0, 0)) == can_be


# Tokens.


def test_tokens_stand_at_their_ids_and_added_ones_too(tmp_path, words, tokenizer_of):
    tokenizer = tokenizer_of()
    tokenizer.add_tokens([AddedToken("New York"), "[MASK]"])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    tokens, text = tensors.tokens_in(tmp_path / "tokenizer.json")
    assert tokens == [*words, "New York", "[MASK]"]
    assert Tokenizer.from_str(text).get_vocab() == tokenizer.get_vocab()


def test_an_id_without_a_token_is_named_as_one(tmp_path, tokenizer_of):
    tokenizer_of([4, 0, 1, 3]).save(str(tmp_path / "tokenizer.json"))
    tokens, _ = tensors.tokens_in(tmp_path / "tokenizer.json")
    assert tokens == ["cat", "né", "[id 2 has no token]", "한국", "[UNK]"]


def test_of_two_tokens_with_one_id_it_is_always_the_same(tmp_path, tokenizer_of):
    text = tokenizer_of().to_str()
    (tmp_path / "tokenizer.json").write_text(text.replace(':2,"', ':1,"').replace(":3}", ":1}"))
    for _ in range(20):  # the library gives them in any order
        assert tensors.tokens_in(tmp_path / "tokenizer.json")[0] == ["[UNK]", "cat"]


@pytest.mark.parametrize("highest", [10_000, 2**32 - 2])
def test_ids_that_are_absurd_are_refused_before_memory_is_taken(tmp_path, tokenizer_of, highest):
    (tmp_path / "tokenizer.json").write_text(tokenizer_of().to_str().replace(":3}", f":{highest}}}"))
    with pytest.raises(FileFormatError, match=f"tokenizer.json: has ids up to {highest} for 4 tokens; restore"):
        tensors.tokens_in(tmp_path / "tokenizer.json")


@pytest.mark.parametrize("content", [b"", b"{}", b"null", b"\xff", b'{"model": 1}', b"[" * 10_000])
def test_what_is_no_tokenizer_is_refused(tmp_path, content):
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(
        FileFormatError, match=r"tokenizer\.json: does not open as a tokenizer \(.*\); restore the file"
    ):
        tensors.tokens_in(tmp_path / "tokenizer.json")


def test_a_tokenizer_that_makes_the_library_panic_is_refused(tmp_path, tokenizer_of, capfd):
    document = json.loads(tokenizer_of().to_str()) | {"normalizer": {"type": "Precompiled", "precompiled_charsmap": ""}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    with pytest.raises(FileFormatError, match=r"tokenizer\.json: does not open as a tokenizer \(Precompiled: "):
        tensors.tokens_in(tmp_path / "tokenizer.json")
    assert "panicked" in capfd.readouterr().err  # which Rust says by itself


def test_a_tokenizer_that_is_not_there_is_told_how_to_make_one(tmp_path):
    with pytest.raises(FileFormatError, match=r"tokenizer\.json: missing, .* AutoTokenizer\.from_pretrained"):
        tensors.tokens_in(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").mkdir()
    with pytest.raises(FileFormatError, match=r"tokenizer\.json: a directory stands where a file should"):
        tensors.tokens_in(tmp_path / "tokenizer.json")


# Both.


@pytest.fixture
def folder(tmp_path, tokenizer_of):
    tokenizer_of().save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_rows_and_tokens_are_joined(folder, words, tokenizer_of):
    table = tensors.table_of_tensor(ROWS, folder, "rows", limit=None, settings={"normalize": True})
    assert table.vocabulary == words
    assert table.rows is ROWS or np.shares_memory(table.rows, ROWS)
    assert json.loads(table.tokenizer) == json.loads(tokenizer_of().to_str())
    assert table.settings == {"normalize": True}


@pytest.mark.parametrize("limit", [None, 9, 4])
def test_rows_beyond_the_ids_are_left_out_with_a_warning(folder, words, limit):
    rows = np.eye(7, 3)
    with pytest.warns(UserWarning, match=r"^rows: the last 3 of 7 rows belong to no token of tokenizer.json"):
        table = tensors.table_of_tensor(rows, folder, "rows", limit=None)
    assert (table.vocabulary, table.rows.tolist()) == (words, rows[:4].tolist())
    if limit == 4:
        assert tensors.table_of_tensor(rows[:4], folder, "rows", limit=4).tokenizer is not None


@pytest.mark.parametrize("limit", [1, 3])
def test_the_first_rows_keep_no_tokenizer_whose_ids_go_further(folder, words, limit):
    table = tensors.table_of_tensor(ROWS[:limit], folder, "rows", limit=limit)
    assert (table.vocabulary, table.tokenizer) == (words[:limit], None)


@pytest.mark.parametrize("limit", [None, 3, 4])
def test_fewer_rows_than_ids_are_refused_where_it_shows(folder, limit):
    with pytest.raises(
        FileFormatError, match=r"rows: has 2 rows, but .* has 4 ids: the first without a row is 2, 'né'"
    ):
        tensors.table_of_tensor(ROWS[:2], folder, "rows", limit=limit)


@pytest.mark.parametrize("rows", [ROWS[0], ROWS[None], ROWS.astype(int), ROWS[:, :0]])
def test_rows_that_are_none_are_refused(folder, rows):
    with pytest.raises(RowspaceError, match=r"expected \(V, d\) floats|rows must be at least 1 wide"):
        tensors.table_of_tensor(rows, folder, "rows", limit=None)


# Writing.


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("unknown_rows", [0, 2])
def test_pieces_are_a_file_that_the_safetensors_library_reads(dtype, order, unknown_rows):
    rows = np.asarray(np.random.default_rng(0).standard_normal((7, 3)).astype(dtype), order=order)
    pieces = tensors.tensor_pieces("embeddings", rows, unknown_rows, at_once=20)  # a row or three at once
    content = b"".join(map(bytes, pieces))
    found = load(content)["embeddings"]
    assert found.dtype == rows.dtype.newbyteorder("=")
    assert (found == np.vstack([rows, np.zeros((unknown_rows, 3))])).all()


@pytest.mark.parametrize(("dtype", "name"), [(torch.float8_e4m3fn, "F8_E4M3"), (torch.float8_e5m2, "F8_E5M2")])
def test_eight_bit_floats_become_the_float32_that_torch_gives(tmp_path, dtype, name):
    values = torch.arange(256, dtype=torch.uint8).view(dtype).reshape(64, 4)
    save_torch_file({"w": values}, tmp_path / "t")
    found = tensors.tensors_in(tmp_path / "t")
    assert (found["w"].dtype, tensors.can_be_rows(found["w"])) == (name, True)
    np.testing.assert_array_equal(tensors.map_tensor(tmp_path / "t", "w"), values.to(torch.float32).numpy())


@pytest.mark.parametrize("scale", ["w_scale", "w_scale_inv"])
def test_scaled_eight_bit_floats_are_refused_with_a_way_to_undo_them(tmp_path, scale):
    values = torch.zeros(4, 4, dtype=torch.float8_e4m3fn)
    save_torch_file({"w": values, scale: torch.ones(1)}, tmp_path / "t")
    with pytest.raises(FileFormatError, match=f"8-bit floats that '{scale}' scales, .*dequantize"):
        tensors.map_tensor(tmp_path / "t", "w")
