"""What a command is given for a tokenizer → the `tokenizers` library's, and how often a table's tokens were seen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rowspace.cli.output import say
from rowspace.errors import FileFormatError, RowspaceError, UsageError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Source", "TokenizerPath", "open_source", "standard_input", "texts_of"]

TokenizerPath = Annotated[
    str,
    typer.Argument(metavar="TOKENIZER|TABLE", help="A tokenizer.json, or a folder with one: a table or a checkpoint."),
]


@dataclass(frozen=True)
class Source:
    """A tokenizer, and the counts of its tokens where it came with a table that has them."""

    tokenizer: "Tokenizer"
    counts: Mapping[str, int] | None


def open_source(path: str) -> Source:
    """Open a tokenizer, or the one of a table; raises FileFormatError for what is neither."""
    file = Path(path, "tokenizer.json") if Path(path).is_dir() else Path(path)
    return Source(_library_tokenizer(file), _counts(path) if Path(path).is_dir() else None)


def texts_of(texts: Iterable[str]) -> list[str]:
    """Return the texts of a call; `-` stands for the lines of standard input. Raises UsageError where there is none."""
    found = list[str]()
    for text in texts:
        found += standard_input().splitlines() if text == "-" else [text]
    if not found:
        raise UsageError("standard input holds no text; write some, or name it in the call")
    return found


def standard_input() -> str:
    """Return all text of standard input; what is not UTF-8 is replaced."""
    return typer.get_text_stream("stdin", encoding="utf-8", errors="replace").read()


def _library_tokenizer(file: Path) -> "Tokenizer":
    from tokenizers import Tokenizer  # noqa: PLC0415  # which help can do without

    try:
        return Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises nothing narrower
        message = f"{str(file)!r} does not open as a tokenizer ({error}); name a tokenizer.json, or a folder with one"
        raise FileFormatError(message) from error


def _counts(path: str) -> dict[str, int] | None:
    """Return the counts of a table's tokens, None for a folder that is no table or has none."""
    from rowspace.store import FORMATS, load  # noqa: PLC0415  # safetensors, which help can do without

    if not any(known.recognises(Path(path)) for known in FORMATS):
        return None
    try:
        table = load(path)
    except RowspaceError as error:  # its tokenizer is all that is needed
        say(f"counts are left out: {error}")
        return None
    return None if table.counts is None else dict(zip(table.vocabulary, table.counts.tolist(), strict=True))
