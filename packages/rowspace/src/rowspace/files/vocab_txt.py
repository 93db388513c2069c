"""A vocabulary as text, one token per line, next to rows whose format cannot hold it.

Lines end at a newline, or CR LF; other line ends and spaces of Unicode are part of the token.
"""

from pathlib import Path

from rowspace.errors import FileFormatError, UsageError
from rowspace.files.open_folder import open_regular
from rowspace.files.vocabulary import encode_token_list

__all__ = ["encode_lines", "read_lines"]


def read_lines(path: Path) -> list[str]:
    """Return the lines of the file `path`; raises `FileFormatError` with the byte that is not valid UTF-8."""
    with open_regular(path) as file:
        content = file.read()
    try:
        lines = content.decode("utf-8-sig").split("\n")  # without a byte-order mark
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path}: byte {error.start}: not valid UTF-8; write it again as UTF-8") from None
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if b"\r" in content else lines


def encode_lines(tokens: list[str], *, forbidden: str, format: str) -> bytes:
    r"""Return the file that `read_lines` reads the `tokens` from.

    Raises `UsageError` on a token that holds one of the `forbidden` characters or ends in a carriage return.

    >>> encode_lines(["cat", "a\tb"], forbidden="\n", format="npy")
    b'cat\na\tb\n'
    """
    if tokens and tokens[0].startswith("\ufeff"):
        raise UsageError(
            f"token {tokens[0]!r:.80} (id 0) begins with U+FEFF, which would be read as a byte-order mark; save to a "
            "folder instead (format 'native')"
        )
    for number, token in enumerate(tokens):
        if token.endswith("\r") or any(character in token for character in forbidden):
            raise UsageError(
                f"token {token!r:.80} (id {number}) holds a character that ends a token in {format}'s vocabulary; "
                "save to a folder instead (format 'native')"
            )
    return b"\n".join([*encode_token_list(tokens), b""])
