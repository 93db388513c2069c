import csv

import pytest

from rowspace.errors import FileFormatError, UsageError
from rowspace.learn import read_labeled

EXPECTED = [("short, and funny", "good"), ("two\nlines", "1")]


def test_each_kind_of_file(tmp_path):
    for name, content in {
        "a.csv": '\ufeffid,Text,Label\n1,"short, and funny",good\n\n2,"two\nlines",1\n',
        "a.tsv": 'label\ttext\ngood\tshort, and funny\n1\t"two\nlines"\n',
        "a.jsonl": '{"text": "short, and funny", "label": "good"}\n\n{"text": "two\\nlines", "label": 1}\n',
    }.items():
        (tmp_path / name).write_text(content)
        assert read_labeled(tmp_path / name) == EXPECTED, name


def test_lines_without_text_or_label(tmp_path):
    for name, content, complaint in [
        ("a.csv", b"text,name\na,b\n", r"line 1: the header must name the columns text and label, and is 'text,name'"),
        ("a.csv", b"", "line 1: the header"),
        ("a.csv", b"text,label\na,b\nc\n", "line 3: the text or the label is missing"),
        ("a.csv", b"text,label\na,b\xff\n", "line 2: not valid UTF-8"),
        ("a.csv", b'text,label\na,b\n"c,d\ne,f\n', "line 3: a quote that is not closed"),
        ("a.csv", b'text,label\n"a" b,c\n', "line 2: ',' expected after '\"'"),
        (
            "a.csv",
            b"text,label\nshort, and funny,good\n",
            "line 2: 3 cells for 2 columns; put quotes around a text with ','",
        ),
        ("a.csv", b"text,label,text\na,b,c\n", "line 1: the header"),
        ("a.csv", b"text,label\na\rb,c\n", "line 2: the text or the label is missing"),
        ("a.csv", b"text,label\na,b\nc\0,d\n", "a binary file"),
        ("a.csv", b"PAR1\x15", "a Parquet file; convert it to a CSV file or JSON lines with text and label in UTF-8"),
        ("a.csv", "text,label\na,b\n".encode("utf-16"), "UTF-16 text, not UTF-8; convert"),
        ("a.jsonl", b'{"text": "a", "label": "b"}\n["a", "b"]\n', "line 2: not a JSON object"),
        ("a.jsonl", b'{"text": "a", "label": null}\n', "line 1: the text or the label"),
        ("a.jsonl", b'{"text": "\\ud800", "label": "a"}\n', "line 1: half a surrogate pair"),
        ("a.jsonl", b'{"text": ["a"], "label": {"a": 1}}\n', "line 1: the text or the label"),
        ("a.jsonl", b'{"text": "a", "label": %s}\n' % (b"9" * 5000), "line 1: not a JSON object"),
        ("a.jsonl", b"[" * 100_000, "line 1: not a JSON object"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FileFormatError, match=complaint):
            read_labeled(tmp_path / name)
    with pytest.raises(UsageError, match="give a CSV file or JSON lines"):
        read_labeled(tmp_path / "none.csv")


def test_long_texts_and_line_ends_of_old_systems(tmp_path):
    limit = csv.field_size_limit()
    (tmp_path / "a.csv").write_text("text,label\n" + "x" * 200_000 + ",long\n")
    assert read_labeled(tmp_path / "a.csv") == [("x" * 200_000, "long")]
    assert csv.field_size_limit() == limit
    (tmp_path / "a.csv").write_bytes(b'text,label\r"a\rb",c\rd,e\r')
    assert read_labeled(tmp_path / "a.csv") == [("a\nb", "c"), ("d", "e")]
