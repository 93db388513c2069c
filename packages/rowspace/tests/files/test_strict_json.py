import pytest

from rowspace.errors import FileFormatError
from rowspace.files.strict_json import MAX_SIZE, parse_object, read_object


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "byte 8: not valid JSON"),
        (b"{", "byte 9: not valid JSON"),
        (b'{"\xff": 1}', "byte 10: not valid UTF-8"),
        ('{"é": x}'.encode(), "byte 15: not valid JSON"),
        (b"[]", "JSON, but not an object"),
        (b'{"a": 1, "b": {"c": 1, "c": 1}}', "the key 'c' is duplicated"),
        (b'{"a": ' + b"9" * 5000 + b"}", "too large a number"),
        (b'{"a": ' + b"[" * 100_000 + b"}", "nested too deeply"),
        ("{}".encode("utf-16"), "byte 8: not valid UTF-8"),
        (b"\xef\xbb\xbf{}", "byte 8: not valid JSON"),
        (b"{}\0", "byte 10: not valid JSON"),
    ],
)
def test_invalid_or_ambiguous_json_is_refused_with_its_byte_offset(data, complaint):
    with pytest.raises(FileFormatError, match=f"^x: .*{complaint}"):
        parse_object(data, "x", offset=8)


def test_json_object_is_parsed():
    assert parse_object('{"é": [1, null]}'.encode(), "x") == {"é": [1, None]}


def test_read_object_appends_the_remedy_to_the_error(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"a": 1}')
    assert read_object(path) == {"a": 1}
    path.write_text("[]")
    with pytest.raises(FileFormatError, match=r"x\.json: byte 0: JSON, but not an object; do this$"):
        read_object(path, remedy="do this")


def test_oversized_file_is_refused_before_reading(tmp_path):
    path = tmp_path / "x.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # sparse: uses no disk space
    with pytest.raises(FileFormatError, match=f"has 1,099,511,627,776 bytes, more than the {MAX_SIZE:,}"):
        read_object(path)
