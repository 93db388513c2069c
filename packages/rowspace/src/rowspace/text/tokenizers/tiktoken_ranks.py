"""tiktoken's files of ranks: lines of a token in base64 and its rank, which is its id and its place among the merges.

The assumptions of tiktoken are validated here: with a file that violates them, it aborts the process or loses tokens.
"""

import base64
import re

from rowspace.errors import FileFormatError
from rowspace.text.tokenizers.tokenizer import validate_ids

__all__ = ["Ranks", "are_ranks", "parse_ranks", "validate_ranks"]

Ranks = dict[bytes, int]
_LINE = re.compile(rb"([A-Za-z0-9+/]+={0,2})[ \t]+(\d{1,10})[ \t\r]*", re.ASCII)
_MAX_RANK = 2**31 - 1


def are_ranks(start: bytes) -> bool:
    r"""Return whether a file that begins with these bytes is a file of ranks.

    >>> are_ranks(b"IQ== 0\nIg== 1\n"), are_ranks(b"the 1\n"), are_ranks(b"2 300\n")
    (True, False, False)
    """
    lines = start.lstrip(b"\r\n").split(b"\n")[:2]
    return all(_token_and_rank(line) is not None for line in lines if line.strip()) and bool(lines[0])


def parse_ranks(data: bytes, source: str) -> Ranks:
    """Return the rank of each token, by its bytes.

    Args:
        data: The content of the file.
        source: Its name in messages, such as its path.

    Raises:
        FileFormatError: a line holds no token and rank, a token or rank is duplicated, a rank is beyond int32, or one
            of the 256 single bytes has no rank.
    """
    ranks, lines = Ranks(), dict[int, int]()
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        pair = _token_and_rank(line)
        if pair is None:
            raise _damaged(source, number, f"expected a token in base64 and its rank, not {line[:40]!r}")
        token, rank = pair
        if rank > _MAX_RANK:
            raise _damaged(source, number, f"the rank {rank} is not a 31-bit number")
        if token in ranks:
            raise _damaged(source, number, f"the token {token!r} is duplicated")
        if rank in lines:
            raise _damaged(source, number, f"the rank {rank} is duplicated, it is also that of line {lines[rank]}")
        ranks[token], lines[rank] = rank, number
    validate_ranks(ranks, source)
    return ranks


def validate_ranks(ranks: Ranks, source: str) -> None:
    """Raise FileFormatError unless all single bytes have a rank, and the ranks leave few ids out."""
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise FileFormatError(
            f"{source}: has no rank for {len(missing)} of the 256 single bytes, the first is 0x{missing[0]:02X}, so "
            "that some text cannot be encoded; restore the file"
        )
    validate_ids(max(ranks.values()), len(ranks), source)


def _token_and_rank(line: bytes) -> tuple[bytes, int] | None:
    match = _LINE.fullmatch(line)
    if match is None or len(match[1]) % 4:
        return None
    return base64.b64decode(match[1]), int(match[2])


def _damaged(source: str, number: int, what: str) -> FileFormatError:
    return FileFormatError(f"{source}: line {number}: {what}; restore the file")
