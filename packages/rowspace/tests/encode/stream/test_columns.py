"""The columns of a source are kept next to its vectors."""

import io
import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from rowspace.encode import Encoder
from rowspace.encode.stream import StreamOptions, encode_to
from rowspace.encode.stream.columns import columns_of, joined
from rowspace.errors import CorpusWarning, FileFormatError, UsageError
from rowspace.table import Table
from rowspace.text import whitespace_json

WORDS = ["the", "cat"]
ROWS = 10_000  # several batches of vectors and of columns


@pytest.fixture(scope="module")
def encoder():
    return Encoder(Table(WORDS, np.eye(2, dtype=np.float32), tokenizer=whitespace_json(WORDS)))


def encoded(encoder, source, out, column="t", **options):
    encode_to(encoder, source, out, options=StreamOptions(column=column, **options))
    if out.suffix == ".parquet":
        return parquet.read_table(out)
    import lance  # counted by scripts/test where it is not installed

    return lance.dataset(str(out)).to_table()


@pytest.mark.parametrize("name", ["v.parquet", "v.lance"])
def test_columns_of_parquet_are_kept_with_their_types(tmp_path, encoder, name):
    source = pa.table({"id": range(ROWS), "t": ["cat", "the"] * (ROWS // 2), "tags": [["a"], None] * (ROWS // 2)})
    parquet.write_table(source, tmp_path / "s.parquet", row_group_size=999)
    found = encoded(encoder, tmp_path / "s.parquet", tmp_path / name)
    assert found.select(source.schema.names).equals(source)
    assert np.array_equal(np.stack(found["vector"].to_numpy()), np.tile([[0, 1], [1, 0]], (ROWS // 2, 1)))
    assert encoded(encoder, tmp_path / "s.parquet", tmp_path / name, keep_text=False).schema.names == [
        "id",
        "tags",
        "vector",
    ]


def test_columns_of_several_parquet_files_have_a_common_type_or_text_or_nulls(tmp_path, encoder):
    parquet.write_table(pa.table({"t": ["cat"], "a": pa.array([1], pa.int32()), "b": [1]}), tmp_path / "1.parquet")
    parquet.write_table(pa.table({"b": ["x"], "a": [2**40], "t": ["the"], "c": [[7]]}), tmp_path / "2.parquet")
    found = encoded(encoder, tmp_path, tmp_path / "v.parquet")
    assert found.drop("vector").to_pylist() == [
        {"t": "cat", "a": 1, "b": "1", "c": None},
        {"t": "the", "a": 2**40, "b": "x", "c": [7]},
    ]


def test_parquet_columns_that_cannot_be_kept_are_refused_before_anything_is_encoded(tmp_path, encoder):
    parquet.write_table(pa.table([["cat"], [1], [2]], ["t", "k", "k"]), tmp_path / "twice.parquet")
    with pytest.raises(UsageError, match=r"twice.parquet' has two columns 'k'; rename one$"):
        encoded(encoder, tmp_path / "twice.parquet", tmp_path / "v.parquet")
    for name, values in (("1", [1]), ("2", [[1]])):
        parquet.write_table(pa.table({"t": ["cat"], "a": values}), tmp_path / f"{name}.parquet")
    with pytest.raises(UsageError, match=r"^column 'a' is list<.*2.parquet' and int64 in another file; encode them"):
        encoded(encoder, [tmp_path / "1.parquet", tmp_path / "2.parquet"], tmp_path / "v.parquet")
    assert not list(tmp_path.glob("v.*"))


def test_values_of_json_have_their_type_or_become_json(tmp_path, encoder):
    records = [
        {
            "t": "cat",
            "id": 1,
            "share": 1,
            "ok": True,
            "tags": ["é"],
            "mixed": 1,
            "big": 2**70,
            "long": 2**60,
            "none": None,
        },
        {"t": "the", "id": 2, "share": 0.5, "tags": {"a": 1}, "mixed": "x", "long": 0.5, "": 3, "late": "\ud800"},
    ]
    (tmp_path / "s.jsonl").write_text("\n\n".join(map(json.dumps, records)))
    found = encoded(encoder, tmp_path / "s.jsonl", tmp_path / "v.parquet").drop("vector").to_pylist()
    assert found == [
        {
            "t": "cat",
            "id": 1,
            "share": 1.0,
            "ok": True,
            "tags": '["é"]',
            "mixed": "1",
            "big": str(2**70),
            "long": str(2**60),
            "none": None,
            "": None,
            "late": None,
        },
        {
            "t": "the",
            "id": 2,
            "share": 0.5,
            "ok": None,
            "tags": '{"a": 1}',
            "mixed": "x",
            "big": None,
            "long": "0.5",
            "none": None,
            "": 3,
            "late": "\ufffd",
        },
    ]


def test_arrays_of_json_and_integers_of_all_sizes_are_kept(tmp_path, encoder):
    records = [{"t": "cat", "n": 2**60}, {"t": "the", "n": 1, "m": 0.5}]
    (tmp_path / "s.json").write_text(json.dumps(records))
    found = encoded(encoder, tmp_path / "s.json", tmp_path / "v.parquet").drop("vector").to_pylist()
    assert found == [{**records[0], "m": None}, records[1]]


def test_sources_whose_columns_are_left_out_give_a_warning(tmp_path, encoder, monkeypatch):
    (tmp_path / "s.csv").write_text("id,t\n7,cat\n")
    parquet.write_table(pa.table({"t": ["cat"], "id": [7]}), tmp_path / "s.parquet")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"t": "cat", "id": 7}')))
    for source in ([tmp_path / "s.csv", tmp_path / "s.parquet"], "-"):
        with pytest.warns(CorpusWarning, match="^only the texts are kept"):
            found = encoded(encoder, source, tmp_path / "v.parquet")
        assert found.schema.names == ["text", "vector"]


def test_cells_of_csv_are_texts(tmp_path, encoder):
    (tmp_path / "s.csv").write_text(",id,t\n0,007,cat\n1,8,the\n")
    found = encoded(encoder, tmp_path / "s.csv", tmp_path / "v.parquet").drop("vector").to_pylist()
    assert found == [{"column 1": "0", "id": "007", "t": "cat"}, {"column 1": "1", "id": "8", "t": "the"}]


def test_columns_of_csv_that_no_row_fills_are_kept(tmp_path, encoder):
    (tmp_path / "s.csv").write_text("id,t,note\n1,the cat\n2,cat\n")
    found = encoded(encoder, tmp_path / "s.csv", tmp_path / "v.parquet")
    assert found.schema.names == ["id", "t", "note", "vector"]
    assert found["note"].to_pylist() == [None, None]


def test_a_column_of_vectors_is_not_replaced(tmp_path, encoder):
    (tmp_path / "s.csv").write_text("vector,t\n7,cat\n")
    parquet.write_table(pa.table({"t": ["cat"], "vector": [1]}), tmp_path / "s.parquet")
    for name in ("s.csv", "s.parquet"):
        with pytest.raises(
            UsageError, match=f"{name}: there is a column 'vector' already; choose another name .* --vector-column"
        ):
            encoded(encoder, tmp_path / name, tmp_path / "v.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.csv", "s.parquet"]
    for name in ("s.csv", "s.parquet"):
        assert encoded(encoder, tmp_path / name, tmp_path / "v.parquet", vector_column="v2").schema.names[-1] == "v2"
    (tmp_path / "r.csv").write_text("t\ncat\n")
    with pytest.raises(UsageError, match=r"s\.csv: there is a column 'vector' already"):  # not the first file
        encoded(encoder, [tmp_path / "r.csv", tmp_path / "s.csv"], tmp_path / "v.parquet")
    with pytest.raises(UsageError, match=r"^vector_column must be the name of a column, not ''$"):
        StreamOptions(vector_column="")


@pytest.mark.parametrize("name", ["s.jsonl", "s.parquet"])
def test_a_text_inside_another_column_cannot_be_left_out(tmp_path, encoder, name):
    records = [{"a": {"b": "cat", "n": 1}}, {"a.b": "the", "a": {"b": "cat"}}]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, records)))
    parquet.write_table(pa.Table.from_pylist(records[:1]), tmp_path / "s.parquet")
    expected = rf"{name}: --no-text cannot leave out 'a.b', which is inside another column; keep the text, or make it"
    with pytest.raises(UsageError, match=expected):
        encoded(encoder, tmp_path / name, tmp_path / "v.parquet", column="a.b", keep_text=False)
    parquet.write_table(pa.Table.from_pylist(records[1:]), tmp_path / "s.parquet")
    (tmp_path / "s.jsonl").write_text(json.dumps(records[1]))
    found = encoded(encoder, tmp_path / name, tmp_path / "v.parquet", column="a.b", keep_text=False)
    assert found.schema.names == ["a", "vector"]


def test_a_source_that_has_changed_is_an_error(tmp_path):
    parquet.write_table(pa.table({"t": ["cat", "the"]}), tmp_path / "s.parquet")
    columns = columns_of([str(tmp_path / "s.parquet")], "t", "vector", keep_text=True)
    for rows, what in ((1, "more"), (3, "fewer")):
        with pytest.raises(FileFormatError, match=f"^the source has {what} records than vectors"):
            list(joined(columns.batches(), iter([pa.record_batch({"vector": range(rows)})])))


def test_other_sources_have_their_texts(tmp_path, encoder):
    (tmp_path / "s.txt").write_text("cat\n")
    encode_to(encoder, tmp_path / "s.txt", tmp_path / "v.parquet")
    assert parquet.read_table(tmp_path / "v.parquet").schema.names == ["text", "vector"]


@pytest.mark.parametrize("name", ["s.csv", "s.parquet"])
def test_without_its_text_a_source_of_texts_has_no_columns(tmp_path, encoder, name):
    (tmp_path / "s.csv").write_text("t\ncat\n")
    parquet.write_table(pa.table({"t": ["cat"]}), tmp_path / "s.parquet")
    assert encoded(encoder, tmp_path / name, tmp_path / "v.parquet", keep_text=False).schema.names == ["vector"]
