"""Files of pairs, and the lines that are refused."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rowspace.errors import FileFormatError, UsageError
from rowspace.learn import read_pairs


def test_both_forms_are_read(tmp_path):
    lines = ['{"query": "a", "positive": "b\\n"}', "", '{"anchor": "c", "positive": "d"}', '["e", "f"]', "g h\ti"]
    (tmp_path / "pairs").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    assert read_pairs(tmp_path / "pairs") == [("a", "b\n"), ("c", "d"), ("e", "f"), ("g h", "i")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not valid JSON"),
        (b'{"query": "a"}', 'expected the names "query" and "positive"'),
        (b'["a", "b", "c"]', "expected two texts, got 3"),
        (b"only one", "expected two texts, got 1"),
        (b"a\t ", "a text of the pair is empty or not text"),
        (b'["a", 3]', "a text of the pair is empty or not text"),
        (b"\xff\tb", "not valid UTF-8"),
        (b"[" * 100_000, "not valid JSON"),
        (b"{a}\tb", "not valid JSON, as its first character says; text needs .tsv"),
        (b'["a", "\\ud800"]', "a text of the pair has half a surrogate pair"),
        (b"a\t" + b"b" * 9000 + b"\0", "NUL, which no text has"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, reason):
    (tmp_path / "pairs").write_bytes(b"fine\tpair\n" + line + b"\n")
    with pytest.raises(FileFormatError) as caught:
        read_pairs(tmp_path / "pairs")
    assert "line 2: " in str(caught.value)
    assert reason in str(caught.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(UsageError, match="there is no file"):
        read_pairs(tmp_path / "none")
    with pytest.raises(UsageError, match="there is no file"):
        read_pairs("x" * 300)
    with pytest.raises(UsageError, match="' is not a file; give JSON lines, or"):
        read_pairs(tmp_path)


def test_the_name_decides_what_a_line_is(tmp_path):
    """A line of text may begin with a brace, and one of JSON may be damaged so that it has a tab."""
    (tmp_path / "a.tsv").write_text('{user}\thas a name\n["x", "y"]\tis a list\n')
    assert read_pairs(tmp_path / "a.tsv") == [("{user}", "has a name"), ('["x", "y"]', "is a list")]
    (tmp_path / "a.jsonl").write_text('"query": "a",\t"positive": "b"')
    with pytest.raises(FileFormatError, match="line 1: not valid JSON; repair"):
        read_pairs(tmp_path / "a.jsonl")


def test_line_ends_of_old_systems(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"a\tb\rc\td\r")
    assert read_pairs(tmp_path / "a.tsv") == [("a", "b"), ("c", "d")]


def test_files_that_are_not_text_are_named(tmp_path):
    for data, kind in {
        b"PAR1\x15\x04": "a Parquet file",
        "a\tb".encode("utf-16"): "UTF-16 text, not UTF-8",
        b"\x1f\x8b\x08": "a file compressed with gzip",
        b"a\0b": r"a binary file \(NUL in its first 8192 bytes\)",
    }.items():
        (tmp_path / "a.tsv").write_bytes(data)
        with pytest.raises(FileFormatError, match=f"{kind}; convert it to JSON lines, or lines of two texts"):
            read_pairs(tmp_path / "a.tsv")


def test_csv_and_parquet_have_the_columns_query_and_positive(tmp_path):
    (tmp_path / "a.csv").write_text('query,more,positive\na,1,"b, c"\n')
    pq.write_table(pa.table({"query": ["a"], "positive": ["b, c"]}), tmp_path / "a.parquet")
    assert read_pairs(tmp_path / "a.csv") == read_pairs(tmp_path / "a.parquet") == [("a", "b, c")]
    (tmp_path / "a.csv").write_text("question,answer\na,b\n")
    with pytest.raises(UsageError, match=r"there is no column 'query'; .* 'answer', .* --query-column"):
        read_pairs(tmp_path / "a.csv")


def test_pairs_of_records_have_the_columns_that_are_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('question,positive\na,"b, c"\n" ",d\n')
    with pytest.raises(FileFormatError, match=r"a\.csv: line 3: a text of the pair is empty"):
        read_pairs(path, query_column="question")
    path.write_text('question,positive\na,"b, c"\n')
    assert read_pairs(path, query_column="question") == [("a", "b, c")]
    with pytest.raises(UsageError, match=r"there is no column 'answer'; .* --positive-column"):
        read_pairs(path, query_column="question", positive_column="answer")
    with pytest.raises(UsageError, match=r"there is no column ''; .* --query-column"):
        read_pairs(path, query_column="")
