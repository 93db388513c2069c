import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from rowspace.errors import FileFormatError, RowspaceError, UsageError
from rowspace.store import formats
from rowspace.store.model_formats import safetensors_file
from rowspace.table import Table

ROWS = np.eye(4, 3, dtype=np.float32)


@pytest.fixture
def file_of(folder_of):
    """`file_of(tensors)` makes a file with an unrelated suffix, with a tokenizer.json next to it."""
    return lambda tensors, **options: folder_of(tensors, file="t.any", **options) / "t.any"


# Files written by the safetensors library.


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_single_matrix_is_loaded_under_any_name(file_of, words, rows, dtype):
    others = {"bias": np.ones(4, np.float32), "ids": np.zeros((4, 1), np.int64), "masks": np.ones((4, 4), bool)}
    path = file_of({"anything": rows.astype(dtype), **others})
    assert formats.format_of(path).name == "safetensors"
    table = safetensors_file.load(path)
    assert (table.vocabulary, table.rows.tobytes()) == (words, rows.astype(dtype).tobytes())
    assert isinstance(table.rows, np.memmap)
    assert table.rows.tobytes() == load_file(path)["anything"].tobytes()
    first = safetensors_file.load(path, limit=2)
    assert (first.vocabulary, first.rows.tobytes()) == (words[:2], table.rows[:2].tobytes())


def test_key_selects_one_of_several_matrices(file_of, words):
    path = file_of({"in.weight": ROWS, "out.weight": ROWS + 1, "bias": ROWS[0]})
    with pytest.raises(UsageError, match=r"t.any: holds 2 tensors of rows \('in.weight 4×3', 'out.weight 4×3'\); name"):
        safetensors_file.load(path)
    assert (safetensors_file.load(path, key="in.weight").rows == ROWS).all()
    assert (formats.load(path, key="out.weight").rows == ROWS + 1).all()
    with pytest.raises(UsageError, match=r"t.any: holds no tensor 'up', but 'bias', 'in.weight', 'out.weight'; check"):
        safetensors_file.load(path, key="up")
    with pytest.raises(FileFormatError, match=r"t.any: bias: is float32 of shape \(3,\); expected .* check the key"):
        safetensors_file.load(path, key="bias")


@pytest.mark.parametrize(
    ("tensors", "complaint"),
    [
        ({}, r"holds no tensor of floats with two dimensions, but none"),
        ({"a": ROWS[0], "b": ROWS > 0}, r"holds no tensor of floats .*, but 'a: F32 \[3\]', 'b: BOOL \[4, 3\]'"),
        (
            {f"layer {number:03}": ROWS for number in range(200)},
            r"holds 200 tensors of rows \('layer 000 4×3', .*, 'layer 008 4×3', 191 more\)",
        ),
    ],
)
def test_error_lists_the_tensors_if_the_rows_are_ambiguous(file_of, tensors, complaint):
    with pytest.raises(RowspaceError, match=f"t.any: {complaint}"):
        safetensors_file.load(file_of(tensors))


@pytest.mark.parametrize(
    ("tensors", "complaint"),
    [
        ({"w.weight": ROWS.astype(np.uint32), "w.scales": ROWS, "w.biases": ROWS}, "holds no tensor of floats"),
        ({"w.weight": ROWS.astype(np.int8), "w.scales": ROWS}, "'w.weight' holds I8 codes .* not read as rows"),
        ({"w.qweight": ROWS.astype(np.int32), "w.scales": ROWS, "lm.weight": ROWS}, r"holds 2 .*'lm.weight 4×3', 'w.q"),
        ({"embeddings": ROWS, "weights": ROWS[0]}, "its other tensors change its rows; open the folder"),
        ({"pq.codes": ROWS.astype(np.uint8), "pq.centroids": ROWS}, "its other tensors change its rows; open"),
        ({"lm_head.weight": ROWS, "norm": ROWS[0]}, "holds a head, 'lm_head.weight', but no token table; name one"),
    ],
)
def test_scale_or_head_of_a_model_is_not_taken_for_its_table(file_of, tensors, complaint):
    with pytest.raises(RowspaceError, match=complaint):
        safetensors_file.load(file_of(tensors))


# Files written by rowspace.


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_safetensors_library_reads_saved_file_and_it_round_trips(tmp_path, words, rows, dtype):
    rows = rows[1:].astype(dtype)
    path = tmp_path / "v.safetensors"
    formats.save(Table(words[1:], rows, np.array([3, 2, 1])), path)
    assert load_file(path)["embeddings"][:3].tobytes() == rows.tobytes()
    assert Tokenizer.from_file(str(tmp_path / "tokenizer.json")).encode("né cat dog").ids == [1, 0, 3]
    again = safetensors_file.load(path)
    assert again.vocabulary == [*words[1:], "[UNK]"]
    assert again.rows.tobytes() == rows.tobytes() + bytes(rows[0].nbytes)
    assert again.counts is None


def test_tokenizer_of_another_file_is_never_replaced(tmp_path, words, rows):
    table = Table(words, rows)
    safetensors_file.save(table, tmp_path / "a.safetensors")
    for act in (safetensors_file.check_target, lambda path: safetensors_file.save(Table(["new"], np.eye(1)), path)):
        with pytest.raises(UsageError, match=r"tokenizer.json exists and belongs to other rows, .* a separate folder"):
            act(tmp_path / "b.safetensors")
    assert safetensors_file.load(tmp_path / "a.safetensors").vocabulary == words
    safetensors_file.save(Table(["new"], np.eye(1)), tmp_path / "a.safetensors")
    assert safetensors_file.load(tmp_path / "a.safetensors").vocabulary == ["new", "[UNK]"]


def test_failed_save_of_rows_keeps_the_old_tokenizer(tmp_path, words, rows):
    path = tmp_path / "v.safetensors"
    safetensors_file.save(Table(words, rows), path)
    with pytest.raises(UsageError, match="cannot be saved; convert them to float32"):
        safetensors_file.save(Table(["new"], np.ones((1, 1), np.longdouble)), path)
    assert safetensors_file.load(path).vocabulary == words


# Damaged files.


def test_missing_tokenizer_error_explains_its_purpose(file_of):
    path = file_of({"a": ROWS})
    (path.parent / "tokenizer.json").unlink()
    with pytest.raises(FileFormatError, match=r"tokenizer.json: missing, so the rows have no tokens"):
        safetensors_file.load(path)


def test_tokenizer_link_outside_the_folder_is_not_followed(file_of, tmp_path):
    path = file_of({"a": ROWS})
    (path.parent / "tokenizer.json").rename(tmp_path / "blob")
    (path.parent / "tokenizer.json").symlink_to("../blob")
    with pytest.raises(FileFormatError, match=r"tokenizer.json: a link out of the folder"):
        safetensors_file.load(path)


@pytest.mark.parametrize("name", ["tokens.lora_embedding_A", "tokens.trainable_tokens_delta", "tokens.weight"])
def test_adapter_of_peft_is_named_and_not_opened_as_a_table(tmp_path, name):
    """Its folder and its file, with the names that PEFT writes."""
    file = tmp_path / "adapter_model.safetensors"
    save_file({f"base_model.model.{name}": ROWS}, file)
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    for path in (tmp_path, file):
        with pytest.raises(RowspaceError, match="an adapter of PEFT, which changes the table of a model"):
            formats.load(path)
