"""Files of texts with labels."""

import gzip
import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from rowspace.errors import FileFormatError, UsageError
from rowspace.learn.classifier.examples import read_labeled_texts

PAIRS = [("short, and\tfunny", "good"), ('a "long" film', "bad")]


def test_every_format_is_read(tmp_path):
    lines = "".join(json.dumps({"body": text, "stars": label}) + "\n" for text, label in PAIRS)
    (tmp_path / "a.jsonl").write_text(lines, "utf-8")
    with gzip.open(tmp_path / "a.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(lines)
    (tmp_path / "a.csv").write_text('stars,body\ngood,"short, and\tfunny"\nbad,"a ""long"" film"\n', "utf-8")
    parquet.write_table(
        pa.table({"body": [t for t, _ in PAIRS], "stars": [v for _, v in PAIRS]}), tmp_path / "a.parquet"
    )
    (tmp_path / "a.json").write_text(json.dumps([{"body": text, "stars": label} for text, label in PAIRS]))
    for name in ("a.jsonl", "a.jsonl.gz", "a.csv", "a.parquet", "a.json"):
        found = read_labeled_texts(tmp_path / name, column="body", label_column="stars")
        assert (found.texts, found.labels) == ([t for t, _ in PAIRS], ["good", "bad"]), name


def test_place_in_parquet_is_a_row(tmp_path):
    parquet.write_table(pa.table({"text": ["x", None], "label": ["a", "b"]}), tmp_path / "a.parquet")
    with pytest.raises(FileFormatError, match=r"a\.parquet: row 1: the column 'text' has no value"):
        read_labeled_texts(tmp_path / "a.parquet")


def test_labels_may_be_several_or_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\nx,a; b\ny,a\nz,;\n", "utf-8")
    assert read_labeled_texts(path, label_separator=";").labels == [["a", "b"], ["a"], []]
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "x", "label": ["a", "b"]}\n{"text": "y", "label": "a"}\n', "utf-8")
    assert read_labeled_texts(path).labels == [["a", "b"], ["a"]]
    path.write_text('{"text": "x", "label": 1}\n{"text": "y", "label": 2}\n', "utf-8")
    assert read_labeled_texts(path).labels == [1, 2]
    path.write_text('{"text": "x", "label": 1}\n{"text": "y", "label": "b"}\n', "utf-8")
    assert read_labeled_texts(path).labels == ["1", "b"]


def test_lines_of_fasttext(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("__label__a x  y\nno label\n\nx __label__b\t__label__c y\n", "utf-8")
    found = read_labeled_texts(path)
    assert found == (["x y", "x y"], [["a"], ["b", "c"]], 1)


def test_blanks_of_a_line_become_single_spaces(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(
        "__label__a x  y \n__label__b\tx\u3000y\n __label__b x\u00a0y\n__label__a\n__label__a  x\ty\n", "utf-8"
    )
    assert read_labeled_texts(path) == (["x y", "x y", "x y", "", "x y"], ["a", "b", "b", "a", "a"], 0)


def test_mistakes_are_errors(tmp_path):
    for name, content, error, message in (
        ("a.csv", "text,stars\nx,1\n", UsageError, "no column 'label'; it has 'stars', 'text'; name one with --label-"),
        ("a.csv", "text,label\nx,\n", FileFormatError, "line 2: the label is ''"),
        ("a.csv", "text,label\n", FileFormatError, "has no records"),
        ("a.jsonl", '{"text": 3, "label": "a"}\n', FileFormatError, "line 1: the column 'text' has 3, expected"),
        ("a.jsonl", '{"text": "x", "label": null}\n', FileFormatError, "line 1: there is no label, expected"),
        ("a.csv", "text,label\nx\n", FileFormatError, "line 2: there is no label, expected"),
        ("a.txt", "__label__a x\n__label__ y\n", FileFormatError, "line 2: __label__ without a name; add one"),
        ("a.jsonl", '{"text": "x", "label": 0.5}\n', FileFormatError, "line 1: the label is 0.5"),
        ("a.txt", "no label\n", FileFormatError, "no line has a label"),
    ):
        (tmp_path / name).write_text(content, "utf-8")
        with pytest.raises(error, match=message):
            read_labeled_texts(tmp_path / name)
    with pytest.raises(UsageError, match="there is no file"):
        read_labeled_texts(tmp_path / "none.csv")
    with pytest.raises(UsageError, match="' is not a file; give lines with __label__"):
        read_labeled_texts(tmp_path)
