"""Folders of quantized rows: round trips, model2vec, and damaged files."""

import json

import numpy as np
import pytest
from model2vec import StaticModel
from safetensors.numpy import load_file, save_file

from rowspace import space, store
from rowspace.errors import FileFormatError, RowspaceError, UsageError
from rowspace.table import Table

KINDS = ("int8", "binary", "pq")
WORDS = [f"word{number}" for number in range(30)]


@pytest.fixture
def table():
    return Table(WORDS, np.random.default_rng(0).normal(size=(30, 11)).astype(np.float32))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_load_as_they_decode(table, tmp_path, kind):
    rows = space.quantize(table.rows, kind)
    store.check_quantized_target(tmp_path / "t", kind)
    for _ in range(2):  # the second time it replaces the first
        store.save_quantized(table, rows, tmp_path / "t")
    again = store.load(tmp_path / "t")
    assert again.vocabulary == [*WORDS, "[UNK]"]
    np.testing.assert_array_equal(again.rows[:30], rows.decode())
    assert not again.rows[30].any()
    assert store.load(tmp_path / "t", limit=3).rows.tolist() == rows.decode()[:3].tolist()
    assert store.format_of(tmp_path / "t").name == ("model2vec" if kind == "int8" else "quantized")


def test_model2vec_gives_the_same_int8_rows(table, tmp_path, assert_close):
    rows = space.quantize(table.rows, "int8")
    store.save_quantized(table, rows, tmp_path / "t")
    model = StaticModel.from_pretrained(tmp_path / "t")
    assert model.embedding.dtype == np.int8
    assert_close(model.encode(["word3", "word1 word2"])[1], rows.decode()[1:3].mean(0))
    assert_close(model.encode(["word3"])[0], rows.decode()[3])


def test_setting_normalize_is_kept(table, tmp_path):
    normalized = Table(WORDS, table.rows, settings={"normalize": True})
    for kind in KINDS:
        store.save_quantized(normalized, space.quantize(table.rows, kind), tmp_path / kind)
        assert store.load(tmp_path / kind).settings["normalize"] is True


def test_other_formats_and_targets_are_refused(table, tmp_path):
    (tmp_path / "file").write_text("mine")
    for path, kind, form, message in [
        ("t", "int8", "npz", "the format 'npz' cannot hold int8 rows; leave it out, or give 'model2vec'"),
        ("t", "pq", "model2vec", "the format 'model2vec' cannot hold pq rows; leave it out, or give 'quantized'"),
        ("file", "pq", None, "cannot save to"),
    ]:
        with pytest.raises(UsageError, match=message):
            store.check_quantized_target(tmp_path / path, kind, format=form)
    with pytest.raises(UsageError, match="without a quantization; use rowspace convert --quantize"):
        store.save(table, tmp_path / "t", format="quantized")
    with pytest.raises(UsageError, match="rows must be those of the table, which has 30"):
        store.save_quantized(table, space.quantize(table.rows[:5], "int8"), tmp_path / "t")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("kind", ["binary", "pq"])
def test_damaged_config(table, tmp_path, kind):
    store.save_quantized(table, space.quantize(table.rows, kind), tmp_path / "t")
    path = tmp_path / "t" / "config.json"
    config = json.loads(path.read_text())
    for change, message in [
        ({"embedding_dim": None}, "is missing or wrong"),
        ({"embedding_dim": -1}, "is missing or wrong"),
        ({"embedding_dim": True}, "is missing or wrong"),
        ({"quantization": "int4"}, "is missing or wrong"),
        ({"quantization": []}, "is missing or wrong"),
        ({"unknown_rows": 0.5}, "is missing or wrong"),
        ({"unknown_rows": 32}, "does not hold"),
        ({"embedding_dim": 0}, "does not hold"),
        ({"embedding_dim": 10**9}, "does not hold"),
    ]:
        path.write_text(json.dumps(config | change))
        with pytest.raises(FileFormatError, match=message):
            store.load(tmp_path / "t")


@pytest.mark.parametrize("kind", ["binary", "pq"])
def test_damaged_tensors(table, tmp_path, kind):
    store.save_quantized(table, space.quantize(table.rows, kind), tmp_path / "t")
    path = tmp_path / "t" / "model.safetensors"
    tensors = load_file(path)
    first, second = {"binary": ("binary.bits", "binary.scales"), "pq": ("pq.codes", "pq.centroids")}[kind]
    for change in [
        {second: tensors[second][:5]},
        {first: np.repeat(tensors[first], 4, axis=1)},
        {first: tensors[first].astype(np.int8)},
        {second: tensors[second].astype(np.float64)},
        {first: tensors[first][:, 0].copy()},
        {second: None},
    ]:
        save_file({name: array for name, array in (tensors | change).items() if array is not None}, path)
        with pytest.raises(FileFormatError, match=f"does not hold {kind} rows of length 11, but "):
            store.load(tmp_path / "t")


def test_a_missing_config_is_named(table, tmp_path):
    store.save_quantized(table, space.quantize(table.rows, "binary"), tmp_path / "t")
    (tmp_path / "t" / "config.json").unlink()
    with pytest.raises(RowspaceError, match=r"config\.json: missing"):
        store.load(tmp_path / "t")
