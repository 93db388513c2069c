"""Shared by both evaluations: reading a file of words line by line, and looking up words as gensim does."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rowspace.errors import FileFormatError, missing_file

__all__ = ["first_ids", "numbered_lines"]


def numbered_lines(path: str | Path, text: str | None = None) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line without its ends) for each line that is neither blank nor a # comment.

    `text` is the content of the file, if it was read already.

    Raises:
        UsageError: there is no such file.
        FileFormatError: the file cannot be read or is not UTF-8.
    """
    for number, line in enumerate((_read(path) if text is None else text).split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line.strip()


def _read(path: str | Path) -> str:
    try:
        data = Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise missing_file(path) from None
    except OSError as error:
        raise FileFormatError(f"cannot read {path}: {error.strerror}; give the path of a text file") from None
    except UnicodeDecodeError as error:
        at = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(f"{path}, line {at}: not UTF-8 text; convert the file to UTF-8") from None


def first_ids(vocabulary: Sequence[str], restrict_vocab: int | None, case_insensitive: bool) -> dict[str, int]:
    """Return word to id for the first `restrict_vocab` tokens (None: all).

    If case is ignored, keys are upper case, and of tokens that differ only by case the lowest id is used, which is the
    most frequent one where ids follow frequency.

    >>> first_ids(["the", "The", "cat"], None, True)
    {'THE': 0, 'CAT': 2}
    """
    ids: dict[str, int] = {}
    for row, token in enumerate(vocabulary[:restrict_vocab]):
        ids.setdefault(token.upper() if case_insensitive else token, row)
    return ids
