import base64

import pytest
from hypothesis import given, strategies as st
from tiktoken.load import load_tiktoken_bpe

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.text.tokenizers.tiktoken_ranks import are_ranks, parse_ranks

BYTES = {bytes([byte]): byte for byte in range(256)}


def file_of(ranks: dict[bytes, int]) -> bytes:
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())


WHOLE = file_of(BYTES)


def test_ranks_equal_those_that_tiktoken_reads(ranks_file: bytes, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "tiny.tiktoken"
    path.write_bytes(ranks_file)
    assert parse_ranks(ranks_file, "x") == load_tiktoken_bpe(str(path))


@pytest.mark.parametrize("data", [WHOLE.replace(b"\n", b"\r\n"), b"\n" + WHOLE + b"\n\n", WHOLE[:-1]])
def test_any_line_ending_is_accepted(data: bytes) -> None:
    assert parse_ranks(data, "x") == BYTES
    assert are_ranks(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (WHOLE + b"YWI= 256 7\n", "line 257: expected a token in base64 and its rank"),
        (WHOLE + b"YWI 256\n", "line 257: expected a token"),
        (WHOLE + b"YW$= 256\n", "line 257: expected a token"),
        (WHOLE + b"YWI= -1\n", "line 257: expected a token"),
        (WHOLE + "YWI= ٣\n".encode(), "line 257: expected a token"),
        (WHOLE + b"YWI= 2147483648\n", "line 257: the rank 2147483648 is not a 31-bit number"),
        (WHOLE + b"\nYQ== 256\n", "line 258: the token b'a' is duplicated"),
        (WHOLE + b"YWI= 97\n", "line 257: the rank 97 is duplicated, it is also that of line 98"),
        (WHOLE + b"YWI= 99999\n", "has ids up to 99999 for 257 tokens"),
        (WHOLE[WHOLE.index(b"\n") + 1 :], "has no rank for 1 of the 256 single bytes, the first is 0x00"),
        (b"", "has no rank for 256 of the 256 single bytes"),
    ],
)
def test_damaged_files_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(FileFormatError, match=r"^a\.tiktoken: ") as caught:
        parse_ranks(data, "a.tiktoken")
    assert message in str(caught.value)


@pytest.mark.parametrize("start", [b"", b"\n\n", b"the 1\n", b"IQ==\n", b"{}", b"\x00\x01", b"\n\x0e\n\x05<unk>"])
def test_other_files_are_not_recognized(start: bytes) -> None:
    assert not are_ranks(start)


@given(st.integers(0, len(WHOLE) - 1), st.binary(max_size=4), st.integers(0, 5))
def test_mutated_files_give_ranks_or_a_rowspace_error(place: int, put: bytes, gone: int) -> None:
    data = WHOLE[:place] + put + WHOLE[place + gone :]
    are_ranks(data)
    try:
        ranks = parse_ranks(data, "x")
    except RowspaceError:
        return
    assert set(BYTES) <= set(ranks)
