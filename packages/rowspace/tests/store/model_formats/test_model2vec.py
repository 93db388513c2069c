import numpy as np
import pytest
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from rowspace.errors import FileFormatError, UsageError
from rowspace.store.model_formats import model2vec, sentence_transformers
from rowspace.table import Table

WEIGHTS = np.array([1, 0.5, 2, 0.1], np.float32)
MAPPING = np.array([1, 0, 1, 0])


@pytest.fixture
def table(words, rows):
    return Table(words[1:], rows[1:], np.array([3, 2, 1]))


# Files written by model2vec.


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weights": WEIGHTS},
        {"weights": WEIGHTS.astype(np.float64)},
        {"token_mapping": MAPPING},
        {"token_mapping": MAPPING.astype(np.int32), "weights": WEIGHTS},
    ],
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8])
def test_rows_equal_model2vecs_encoding_of_single_tokens(tmp_path, words, rows, tokenizer_of, options, dtype):
    from model2vec import StaticModel

    vectors = (rows[:2] if "token_mapping" in options else rows).clip(-100, 100).astype(dtype)
    StaticModel(vectors, tokenizer_of(), **options).save_pretrained(tmp_path / "m")
    model = StaticModel.from_pretrained(tmp_path / "m")
    assert model2vec.recognizes(tmp_path / "m")
    table = model2vec.load(tmp_path / "m")
    assert table.vocabulary == words
    encoded = model.encode(words[1:])  # model2vec drops [UNK] from texts
    assert table.rows[1:].astype(encoded.dtype).tobytes() == encoded.tobytes()
    is_promoted = dtype == np.int8 or (dtype == np.float16 and "weights" in options)
    assert table.rows.dtype == (np.float32 if is_promoted else dtype)
    expected = vectors.astype(table.rows.dtype)[options.get("token_mapping", range(4))[0]]
    assert (table.rows[0] == expected * options.get("weights", np.ones(1, np.float32))[0]).all()
    assert isinstance(table.rows, np.memmap) == (not options and dtype != np.int8)
    for limit in (1, 3, 4, 9):
        first = model2vec.load(tmp_path / "m", limit=limit)
        assert first.rows.tobytes() == table.rows[:limit].tobytes()
        assert first.vocabulary == words[:limit]


def test_model_quantized_by_model2vec_loads(tmp_path, words, rows, tokenizer_of):
    from model2vec import StaticModel

    StaticModel(rows, tokenizer_of(), weights=WEIGHTS).save_pretrained(tmp_path / "m")
    model = StaticModel.from_pretrained(tmp_path / "m", vocabulary_quantization=2, quantize_to="int8", dimensionality=2)
    assert (model.embedding.shape, model.embedding.dtype) == ((2, 2), np.int8)
    model.save_pretrained(tmp_path / "quantized")
    table = model2vec.load(tmp_path / "quantized")
    assert table.rows[1:].tobytes() == model.encode(words[1:]).tobytes()


@pytest.mark.parametrize("normalize", [True, False])
def test_normalize_setting_is_loaded(tmp_path, rows, tokenizer_of, normalize):
    from model2vec import StaticModel

    StaticModel(rows, tokenizer_of(), normalize=normalize).save_pretrained(tmp_path / "m")
    assert model2vec.load(tmp_path / "m").settings == {"normalize": normalize, "max_length": 512}
    (tmp_path / "m" / "config.json").unlink()
    assert model2vec.load(tmp_path / "m").settings == {"normalize": False, "max_length": 512}


@pytest.mark.parametrize("length", [None, 0, 7])
def test_limit_of_tokens_is_kept_as_a_setting(tmp_path, rows, tokenizer_of, length):
    from model2vec import StaticModel

    StaticModel(rows, tokenizer_of(), max_length=length).save_pretrained(tmp_path / "m")
    table = model2vec.load(tmp_path / "m")
    assert table.settings["max_length"] == length
    model2vec.save(table, tmp_path / "again")
    assert StaticModel.from_pretrained(tmp_path / "again").max_length == length


# Files written by rowspace.


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_other_libraries_open_saved_model_and_it_round_trips(tmp_path, table, dtype):
    from model2vec import StaticModel
    from sentence_transformers import SentenceTransformer

    rows = table.rows.astype(dtype)
    model2vec.save(Table(table.vocabulary, rows), tmp_path / "m")
    assert load_file(tmp_path / "m" / "model.safetensors")["embeddings"][:3].tobytes() == rows.tobytes()
    assert StaticModel.from_pretrained(tmp_path / "m").encode(table.vocabulary).tobytes() == rows.tobytes()
    model = SentenceTransformer(str(tmp_path / "m"), device="cpu")
    assert model.encode(table.vocabulary).tobytes() == rows.tobytes()
    again = model2vec.load(tmp_path / "m")
    assert again.vocabulary == [*table.vocabulary, "[UNK]"]
    assert again.rows.tobytes() == rows.tobytes() + bytes(rows[0].nbytes)
    assert again.settings == {"normalize": False, "max_length": None}


@pytest.mark.parametrize(("setting", "normalizes"), [(True, True), (False, False), ("a word", False), (None, False)])
@pytest.mark.parametrize("module", [model2vec, sentence_transformers])
def test_both_libraries_normalize_only_if_the_setting_is_true(
    tmp_path, table, assert_close, module, setting, normalizes
):
    from model2vec import StaticModel
    from sentence_transformers import SentenceTransformer

    module.save(Table(table.vocabulary, table.rows, settings={"normalize": setting}), tmp_path / "m")
    assert module.load(tmp_path / "m").settings["normalize"] is normalizes
    expected = table.rows / np.linalg.norm(table.rows, axis=1, keepdims=True) if normalizes else table.rows
    assert_close(SentenceTransformer(str(tmp_path / "m"), device="cpu").encode(table.vocabulary), expected)
    if module is model2vec:  # model2vec needs a file that only sentence-transformers adds
        assert_close(StaticModel.from_pretrained(tmp_path / "m").encode(table.vocabulary), expected)


def test_tokenizer_of_the_table_is_saved(tmp_path, words, rows, tokenizer_of):
    model2vec.save(Table(words, rows, tokenizer=tokenizer_of().to_str()), tmp_path / "m")
    assert model2vec.load(tmp_path / "m").tokenizer == tokenizer_of().to_str()
    assert Tokenizer.from_file(str(tmp_path / "m" / "tokenizer.json")).encode("né cat").ids == [2, 1]


def test_existing_model_is_replaced_and_other_folders_are_not(tmp_path, table):
    model2vec.save(table, tmp_path / "m")
    model2vec.save(Table(["new"], np.ones((1, 2))), tmp_path / "m")
    assert model2vec.load(tmp_path / "m").vocabulary == ["new", "[UNK]"]
    (tmp_path / "m" / "thesis.txt").touch()
    for act in (model2vec.check_target, lambda path: model2vec.save(table, path)):
        with pytest.raises(UsageError, match=r"m: it also holds 'thesis\.txt'"):
            act(tmp_path / "m")


# Damaged files.

ROWS = np.eye(4, 3, dtype=np.float32)


@pytest.mark.parametrize(
    ("tensors", "complaint"),
    [
        ({"embeddings": ROWS.astype(np.int64)}, r"is int64 of shape \(4, 3\); expected \(V, d\) floats"),
        ({"embeddings": ROWS[0]}, r"is float32 of shape \(3,\); expected"),
        ({"embeddings": np.array(1, np.float32)}, r"'embeddings' is F32 of shape \(\), which cannot be rows"),
        ({"embeddings": ROWS[None]}, r"'embeddings' is F32 of shape \(1, 4, 3\), which cannot be"),
        ({"embeddings": ROWS > 0}, "'embeddings' is BOOL of shape"),
        ({"embeddings": ROWS, "mapping": np.array([0, 1, 2, 4])}, "'mapping' gives id 3 the row 4, but there are 4"),
        ({"embeddings": ROWS, "mapping": np.array([0, -1, 2, 3])}, "'mapping' gives id 1 the row -1"),
        ({"embeddings": ROWS, "mapping": np.zeros(4, np.float32)}, r"'mapping' is float32 of shape \(4,\), not"),
        ({"embeddings": ROWS, "mapping": np.zeros((4, 1), int)}, r"'mapping' is int64 of shape \(4, 1\), not"),
        ({"embeddings": ROWS, "mapping": np.zeros(3, int)}, "has 3 rows, but .*json has 4 ids: the first without"),
        ({"embeddings": ROWS, "weights": np.ones(3, np.float32)}, r"'weights' is float32 of shape \(3,\), not one"),
        ({"embeddings": ROWS, "weights": np.ones((4, 1), np.float32)}, r"'weights' is float32 of shape \(4, 1\)"),
        ({"embeddings": ROWS, "weights": np.ones(4, int)}, r"'weights' is int64 of shape \(4,\), not one for each"),
        ({"embeddings": ROWS[:3]}, "has 3 rows, but .*tokenizer.json has 4 ids: the first without a row is 3, '한국'"),
    ],
)
def test_unsuitable_tensors_are_named_in_the_error(folder_of, tensors, complaint):
    folder = folder_of(tensors)
    assert model2vec.recognizes(folder)
    with pytest.raises(FileFormatError, match=rf"model\.safetensors: .*{complaint}"):
        model2vec.load(folder)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("tokenizer.json", None, "tokenizer.json: missing, so the rows have no tokens"),
        ("tokenizer.json", b"{", "tokenizer.json: does not open as a tokenizer"),
        ("tokenizer.json", b"\xff", "tokenizer.json: does not open as a tokenizer"),
        ("config.json", b"{", "config.json: byte 1: not valid JSON"),
        ("config.json", b"[]", "config.json: byte 0: JSON, but not an object"),
        ("model.safetensors", b"{", "model.safetensors: ends at byte 1"),
        ("model.safetensors", None, "model.safetensors: missing"),
    ],
)
def test_damaged_files_are_named_in_the_error(folder_of, name, content, complaint):
    folder = folder_of({"embeddings": ROWS})
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(FileFormatError, match=complaint):
        model2vec.load(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_links_outside_the_folder_are_not_followed(folder_of, tmp_path, name):
    folder = folder_of({"embeddings": ROWS}, config={})
    (folder / name).rename(tmp_path / "blob")
    (folder / name).symlink_to("../blob")
    with pytest.raises(FileFormatError, match=rf"{name}: a link out of the folder, to .*blob, .*: cp -rL .*model COPY"):
        model2vec.load(folder)
    (tmp_path / "blob").rename(folder / "blob")
    (folder / name).unlink()
    (folder / name).symlink_to("blob")
    assert len(model2vec.load(folder)) == 4
