import json

import numpy as np
import pytest
from safetensors.numpy import load_file

from rowspace.errors import FileFormatError, UsageError
from rowspace.store import formats
from rowspace.store.model_formats import model2vec, sentence_transformers
from rowspace.table import Table

ROWS = np.eye(4, 3, dtype=np.float32)
KEY = "embedding.weight"


@pytest.fixture
def modules(rows, tokenizer_of):
    """`modules()` returns a StaticEmbedding of `rows`, optionally followed by a Normalize."""
    from sentence_transformers.sentence_transformer.modules import Normalize, StaticEmbedding

    def make(*, normalize=False, dtype=np.float32):
        static = StaticEmbedding(tokenizer_of(), embedding_weights=rows.astype(dtype))
        return [static, Normalize()] if normalize else [static]

    return make


# Files written by sentence-transformers.


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rows_equal_the_embeddings_of_the_model(tmp_path, words, modules, normalize, dtype):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(modules=modules(normalize=normalize, dtype=dtype), device="cpu")
    model.save_pretrained(str(tmp_path / "m"))
    assert formats.format_of(tmp_path / "m").name == "sentence-transformers"
    table = sentence_transformers.load(tmp_path / "m")
    assert table.vocabulary == words
    assert table.rows.tobytes() == model[0].embedding.weight.detach().numpy().tobytes()
    assert table.rows.dtype == dtype
    assert isinstance(table.rows, np.memmap)
    assert table.settings == {"normalize": normalize}
    if not normalize:
        again = SentenceTransformer(str(tmp_path / "m"), device="cpu")
        assert again.encode(words).tobytes() == table.rows.tobytes()
    first = sentence_transformers.load(tmp_path / "m", limit=2)
    assert (first.vocabulary, first.rows.tobytes()) == (words[:2], table.rows[:2].tobytes())


def test_module_saved_by_itself_loads(tmp_path, words, rows, modules):
    (tmp_path / "m").mkdir()
    modules()[0].save(str(tmp_path / "m"))
    assert not (tmp_path / "m" / "modules.json").exists()
    assert formats.format_of(tmp_path / "m").name == "sentence-transformers"
    table = sentence_transformers.load(tmp_path / "m")
    assert (table.vocabulary, table.rows.tobytes()) == (words, rows.tobytes())
    assert table.settings == {"normalize": False}


@pytest.mark.parametrize("normalize", [True, False])
def test_older_layout_with_a_folder_for_the_module_loads(tmp_path, words, rows, modules, normalize):
    from sentence_transformers import SentenceTransformer

    folder = tmp_path / "m" / "0_StaticEmbedding"
    model = SentenceTransformer(modules=modules(normalize=normalize), device="cpu")
    model.save_pretrained(str(tmp_path / "m"))
    folder.mkdir()
    for name in ("model.safetensors", "tokenizer.json"):  # the layout of versions 3 and 4
        (tmp_path / "m" / name).rename(folder / name)
    listed = json.loads((tmp_path / "m" / "modules.json").read_text())
    listed[0]["path"] = folder.name
    (tmp_path / "m" / "modules.json").write_text(json.dumps(listed))
    again = SentenceTransformer(str(tmp_path / "m"), device="cpu")  # sentence-transformers opens it too
    assert again[0].embedding.weight.detach().numpy().tobytes() == rows.tobytes()
    table = formats.load(tmp_path / "m")
    assert (table.vocabulary, table.rows.tobytes()) == (words, rows.tobytes())
    assert table.settings == {"normalize": normalize}


# Files written by rowspace.


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_sentence_transformers_opens_saved_model_and_it_round_trips(tmp_path, words, rows, dtype):
    from sentence_transformers import SentenceTransformer

    rows = rows[1:].astype(dtype)
    sentence_transformers.save(Table(words[1:], rows), tmp_path / "m")
    assert load_file(tmp_path / "m" / "model.safetensors")[KEY][:3].tobytes() == rows.tobytes()
    model = SentenceTransformer(str(tmp_path / "m"), device="cpu")
    assert model.encode(words[1:]).tobytes() == rows.tobytes()
    again = formats.load(tmp_path / "m")
    assert again.vocabulary == [*words[1:], "[UNK]"]
    assert again.rows.tobytes() == rows.tobytes() + bytes(rows[0].nbytes)
    assert again.settings == {"normalize": False}


def test_existing_model_is_replaced_and_other_folders_are_not(tmp_path, words, rows):
    table = Table(words, rows)
    sentence_transformers.save(Table(["old"], np.ones((1, 2))), tmp_path / "m")
    sentence_transformers.save(table, tmp_path / "m")
    assert sentence_transformers.load(tmp_path / "m").vocabulary == words
    model2vec.save(table, tmp_path / "other")
    for act in (sentence_transformers.check_target, lambda path: sentence_transformers.save(table, path)):
        with pytest.raises(UsageError, match=r"other: it also holds 'config\.json'"):
            act(tmp_path / "other")


# Damaged files.


def test_folder_without_the_embedding_tensor_is_refused(folder_of):
    folder = folder_of({"something.else": ROWS})
    assert not sentence_transformers.recognizes(folder)
    with pytest.raises(FileFormatError, match=r"model: holds no model.safetensors with 'embedding.weight'"):
        sentence_transformers.load(folder)


@pytest.mark.parametrize(
    ("tensor", "complaint"),
    [
        (ROWS.astype(np.int32), r"is int32 of shape \(4, 3\)"),
        (ROWS.astype(np.uint8), "'embedding.weight' is U8 of shape"),
        (ROWS[0], r"is float32 of shape \(3,\)"),
        (ROWS[:2], "has 2 rows, but .*tokenizer.json has 4 ids: the first without a row is 2, 'né'"),
    ],
)
def test_unsuitable_tensors_are_named_in_the_error(folder_of, tensor, complaint):
    with pytest.raises(FileFormatError, match=rf"model\.safetensors: .*{complaint}"):
        sentence_transformers.load(folder_of({KEY: tensor}))


def test_missing_tokenizer_and_damaged_header_are_refused(folder_of):
    folder = folder_of({KEY: ROWS})
    (folder / "tokenizer.json").unlink()
    with pytest.raises(FileFormatError, match=r"tokenizer.json: missing"):
        formats.load(folder)
    (folder / "model.safetensors").write_bytes(b"\xff" * 100)
    with pytest.raises(FileFormatError, match=r"model.safetensors: byte 0: header of [\d,]+ bytes"):
        formats.load(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "modules.json"])
def test_links_outside_the_folder_are_not_followed(folder_of, tmp_path, name):
    folder = folder_of({KEY: ROWS})
    (folder / "modules.json").write_text("[]")
    (folder / name).rename(tmp_path / "blob")
    (folder / name).symlink_to(tmp_path / "blob")
    with pytest.raises(FileFormatError, match=rf"{name}: a link out of the folder"):
        sentence_transformers.load(folder)


def test_module_link_outside_the_folder_is_not_followed(folder_of, tmp_path):
    module = folder_of({KEY: ROWS})
    (tmp_path / "outer").mkdir()
    (tmp_path / "outer" / "0_StaticEmbedding").symlink_to(module)
    with pytest.raises(FileFormatError, match="0_StaticEmbedding: a link out of the folder"):
        sentence_transformers.load(tmp_path / "outer")
