"""Files of pairs, and the lines that are refused."""

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
        (b"[" * 100_000, "line 2: "),
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
