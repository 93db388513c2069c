"""Files → lists of lines: which line is which text, invalid bytes, long lines, and records."""

import gzip
import json
import lzma
import subprocess
import sys

import pytest
import zstandard
from hypothesis import given, strategies as st

from rowspace.errors import CorpusError, CorpusWarning, UsageError
from rowspace.text.corpus import lines, read_lines


@pytest.fixture
def file(tmp_path):
    def write(data):
        path = tmp_path / "file"
        path.write_bytes(data)
        return str(path)

    return write


def flat(name, **options):
    return [text for texts in read_lines(name, **({"named": True} | options)) for text in texts]


def test_text_i_is_line_i(file):
    for data, expected in {
        b"": [],
        b"\n": [""],
        b"a": ["a"],
        b"a\n": ["a"],
        b"a\n\nb": ["a", "", "b"],
        b"a\r\nb\r\n": ["a", "b"],
        b"a\r\r\nb\n": ["a\r", "b"],
        b"a\rb\rc": ["a", "b", "c"],
        b"\xef\xbb\xbfa\n\xef\xbb\xbfb": ["a", "\ufeffb"],
        "x\x0by\u2028z\x85w\n".encode(): ["x\x0by\u2028z\x85w"],  # str.splitlines would cut here
        "é 안녕 🙂 é\n".encode(): ["é 안녕 🙂 é"],
    }.items():
        assert flat(file(data)) == expected, data


def test_lists_are_bounded_and_cut_at_line_ends(file):
    expected = [f"line {number} é" for number in range(300_000)]
    data = "\n".join(expected).encode()
    for compress in (
        bytes,
        gzip.compress,
        lambda text: lzma.compress(text, preset=0),
        zstandard.ZstdCompressor().compress,
    ):
        found = list(read_lines(file(compress(data)), named=True))
        assert [text for texts in found for text in texts] == expected
        assert max(sum(map(len, texts)) for texts in found) < 20 * lines.BLOCK


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), min_size=1))
def test_lines_are_those_that_were_joined(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("lines") / "file"
    path.write_text("start\n" + "\n".join([*texts, "end"]), encoding="utf-8", newline="")
    if "\0" not in path.read_text("utf-8"):  # a file with NUL near its start is binary
        assert flat(str(path)) == ["start", *texts, "end"]


def test_invalid_utf8_is_replaced_with_a_warning_that_names_the_line(file):
    with pytest.warns(CorpusWarning, match=r"file' line 3 is not valid UTF-8; such bytes are replaced by U\+FFFD"):
        assert flat(file(b"one\ntwo\nth\xffree\nfour")) == ["one", "two", "th\ufffdree", "four"]
    data = b"a\n" * (1 << 20) + b"\xc3\n"  # in the second list
    with pytest.warns(CorpusWarning, match="line 1,048,577 is"):
        assert flat(file(data))[-1] == "\ufffd"


def test_line_of_ten_megabytes_is_one_text(file):
    assert [len(text) for text in flat(file(b"a\n" + b"x" * 10_000_000 + b"\nb"))] == [1, 10_000_000, 1]


def test_line_longer_than_the_limit_is_refused(file):
    with pytest.raises(CorpusError, match=r"file' line 2 is longer than 3 MiB; write one text per line"):
        flat(file(b"a\n" + b"x" * (5 << 20)), max_line=3 << 20)


def test_records_of_json_lines(file):
    records = [{"body": {"text": text}, "n": 1} for text in ("one", "", "é\ud800", "two\nlines")]
    data = "\n\n".join(json.dumps(record) for record in records).encode()
    assert flat(file(data), column="body.text") == ["one", "", "é\ufffd", "two\nlines"]
    with pytest.raises(CorpusError, match="holds JSON lines; name the column with the text"):
        flat(file(data))
    with pytest.raises(UsageError, match=r"line 1: there is no column 'body\.title'; it has 'body', 'n'"):
        flat(file(data), column="body.title")


def test_lines_of_a_pipe():
    code = "from rowspace.text.corpus import read_lines; print(list(read_lines('-', named=True)))"
    done = subprocess.run([sys.executable, "-c", code], input=b"one\ntwo\n", stdout=subprocess.PIPE, check=True)
    assert done.stdout == b"[['one', 'two']]\n"


def test_binary_files(file):
    assert flat(file(b"a\0b"), named=False) == []
    with pytest.raises(CorpusError, match="is a binary file"):
        flat(file(b"a\0b"))


def test_bytes_are_reported(file):
    data = gzip.compress(b"a line\n" * 100_000)
    sizes = []
    flat(file(data), on_bytes=sizes.append)
    assert sum(sizes) == len(data)
