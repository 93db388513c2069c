"""`read_records`: files of records, their damage, and their limits."""

import csv
import gzip
import json
from itertools import islice

import pytest

from rowspace.errors import CorpusError, FileFormatError
from rowspace.text.corpus.records import has_records, read_records

ROWS = [{"id": "a", "text": 'short, "and" funny\r\nwith a line'}, {"id": "b", "text": "Grüße 日本"}]


def read(path, limit=1_000):
    return [record.values for record in read_records(path, limit=limit)]


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.csv", "a.tsv", "a.csv.gz", "a.JSONL"])
def test_what_the_standard_library_writes_is_read(tmp_path, name):
    opened = gzip.open if name.endswith(".gz") else open
    with opened(tmp_path / name, "wt", encoding="utf-8", newline="") as file:
        if "json" in name.lower():
            file.write("\n\n".join(map(json.dumps, ROWS)))
        else:
            writer = csv.DictWriter(file, ["id", "text"], delimiter="\t" if "tsv" in name else ",")
            writer.writeheader()
            writer.writerows(ROWS)
    assert read(tmp_path / name) == ROWS


@pytest.mark.parametrize("rows", [1, 10_000])
def test_parquet_of_pyarrow_is_read(tmp_path, rows):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pytest.importorskip("pyarrow").table({"id": range(rows), "tags": [["x", None]] * rows, "n": [None] * rows})
    parquet.write_table(table, tmp_path / "a.parquet")
    found = list(read_records(tmp_path / "a.parquet", limit=1_000))
    assert found == list(enumerate(table.to_pylist()))
    (tmp_path / "a.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:-20])
    with pytest.raises(FileFormatError, match="a damaged Parquet file"):
        read(tmp_path / "a.parquet")


def test_lines_are_those_of_the_file(tmp_path):
    (tmp_path / "a.csv").write_bytes(b'\xef\xbb\xbf id ,text,\r\n1,"two\r\nlines",x\r\n\r\n2,three\r\n3\r\n')
    found = list(read_records(tmp_path / "a.csv", limit=1_000))
    assert [record.line for record in found] == [2, 5, 6]
    assert found[0].values == {"id": "1", "text": "two\r\nlines", "column 3": "x"}
    assert found[2].values == {"id": "3"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"a": 1}\n{"a": 1', "line 2: not valid JSON"),
        ("a.jsonl", b'{"a": 1}\n[1]', "line 2: not a JSON object"),
        ("a.jsonl", b"[" * 900, "line 1: not valid JSON"),
        ("a.jsonl", b"[" * 900_000, "line 1: the record has more than 0.001 MB"),
        ("a.jsonl", b'{"a": "\xff"}', "line 1: not valid UTF-8; convert the file to UTF-8"),
        ("a.jsonl", b"\n" * 9_000 + b'{"a": "\0"}', "line 9001: NUL"),
        ("a.csv", b'a,b\n1,2\n3,"4\n5,6\n', "line 3: a quote that is not closed"),
        ("a.csv", b'a,b\n1,2\n3,"4\n' + b"5,6\n" * 500, "line 3: the record has more than 0.001 MB"),
        ("a.csv", b'a,b\n1,2\n"3"4,5\n', "line 3: ',' expected after '\"'"),
        ("a.csv", b"a,b\n1,2\n3,4,5\n", "line 3: 3 cells for 2 columns; put quotes around a text with ','"),
        ("a.csv", b"a,b,a\n", "line 1: the header names the column 'a' twice"),
    ],
)
def test_a_damaged_record_is_named_by_its_line(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    before = csv.field_size_limit()
    with pytest.raises(FileFormatError) as error:
        read(tmp_path / name)
    assert str(error.value).startswith(f"{tmp_path / name}: {message}")
    assert csv.field_size_limit() == before


def test_files_of_long_cells_are_read_at_the_same_time(tmp_path):
    before, row = csv.field_size_limit(), "x" * 200_000
    (tmp_path / "a.csv").write_text(f"text\n{row}\n{row}\n")
    first, second = (read_records(tmp_path / "a.csv", limit=limit) for limit in (1_000_000, 2_000_000))
    assert next(first) == next(second)
    assert [len(list(first)), len(list(second))] == [1, 1]
    assert csv.field_size_limit() == before


def test_what_is_no_text_is_named(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"PK\3\4")
    with pytest.raises(CorpusError, match="is a zip archive"):
        read(tmp_path / "a.csv")


def test_records_are_streamed(tmp_path):
    """A damaged record far behind the first ones does not matter to them."""
    (tmp_path / "a.jsonl").write_bytes(b'{"a": 1}\n' * 1_000_000 + b"damaged")
    assert [record.line for record in islice(read_records(tmp_path / "a.jsonl", limit=100), 3)] == [1, 2, 3]


def test_names_decide():
    assert [has_records(name) for name in ("a.csv", "a.TSV.zst", "csv", "a.csv.txt", "a.json", ".gz", "a.parquet")] == [
        *(True, True, False, False, False, False, True)
    ]


def test_an_array_of_json_objects_is_read_with_the_lines_of_its_records(tmp_path):
    path = tmp_path / "data.json"
    path.write_bytes('\ufeff[\n{"a": "é"},\n{"a": 2}]'.encode())
    assert list(read_records(path, limit=100)) == [(2, {"a": "é"}), (3, {"a": 2})]
    for content, reason in (
        (b'[{"a": 1}', "line 1: not a valid array"),
        (b'\n{"a": 1}\n{"a": 2}', "line 2: an object, not an array of objects; .* name a file .* .jsonl"),
        (b'[{"a": 1},\n3]', "line 2: not a JSON object"),
        (b'[{"a": "\xff"}]', "not valid UTF-8"),
        (b'[{"a": "' + b"x" * 200, "the record has more than"),
    ):
        path.write_bytes(content)
        with pytest.raises(FileFormatError, match=reason):
            list(read_records(path, limit=100))


@pytest.mark.parametrize(
    ("header", "separator"), [("text;label", "semicolons"), ("text\tlabel", "tabs"), ("a|b", "vertical bars")]
)
def test_other_separators_than_commas_are_named(header, separator, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(f"{header}\n")
    with pytest.raises(
        FileFormatError, match=f"line 1: the header has one column, .*write commas instead of {separator}"
    ):
        list(read_records(path, limit=100))
