import pytest

from rowspace.errors import FileFormatError
from rowspace.files.strict_json import parse_object


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "byte 8: no JSON"),
        (b"{", "byte 9: no JSON"),
        (b'{"\xff": 1}', "byte 10: not valid UTF-8"),
        ('{"é": x}'.encode(), "byte 15: no JSON"),
        (b"[]", "JSON, but no object"),
        (b'{"a": 1, "b": {"c": 1, "c": 1}}', "the key 'c' is duplicated"),
        (b'{"a": ' + b"9" * 5000 + b"}", "absurd size or depth"),
        (b'{"a": ' + b"[" * 100_000 + b"}", "absurd size or depth"),
        ("{}".encode("utf-16"), "byte 8: not valid UTF-8"),
        (b"\xef\xbb\xbf{}", "byte 8: no JSON"),
        (b"{}\0", "byte 10: no JSON"),
    ],
)
def test_what_is_no_plain_json_object_is_refused_with_its_place(data, complaint):
    with pytest.raises(FileFormatError, match=f"^x: .*{complaint}"):
        parse_object(data, "x", offset=8)


def test_a_plain_object_is_read():
    assert parse_object('{"é": [1, null]}'.encode(), "x") == {"é": [1, None]}
