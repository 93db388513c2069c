"""Arguments → tokenizers: a path or a name → a tokenizer, with the counts of its tokens if it is a table's."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rowspace.cli.output import message
from rowspace.errors import RowspaceError, UsageError

if TYPE_CHECKING:
    from rowspace.text import Tokenizer

__all__ = ["TOKENIZERS", "Pattern", "Source", "TokenizerPath", "open_source", "standard_input", "texts_of"]

TOKENIZERS = (
    "A tokenizer.json, a folder with a tokenizer (a table, a checkpoint), a SentencePiece model, a tiktoken file, "
    "or the name of a tiktoken encoding."
)
TokenizerPath = Annotated[str, typer.Argument(metavar="TOKENIZER|TABLE", help=TOKENIZERS)]
Pattern = Annotated[
    str | None,
    typer.Option(
        help="The pattern that splits text, for a tiktoken file: an encoding's name, or a regular expression."
    ),
]


@dataclass(frozen=True)
class Source:
    """A tokenizer, and the counts of its tokens if it is from a table with counts."""

    tokenizer: "Tokenizer"
    counts: Mapping[str, int] | None

    @property
    def size(self) -> int:
        """The number of tokens."""
        return len(self.tokenizer) - len(self.tokenizer.unused_ids)


def open_source(path: str, *, pattern: str | None = None) -> Source:
    """Open a tokenizer, or the one of a table; raises as `open_tokenizer` does."""
    from rowspace.text import open_tokenizer  # not needed for help

    return Source(open_tokenizer(path, pattern=pattern), _counts(path) if Path(path).is_dir() else None)


def texts_of(texts: Iterable[str]) -> list[str]:
    """Return the texts, with the lines of standard input in the place of `-`; raise `UsageError` if there are none."""
    found = list[str]()
    for text in texts:
        found += standard_input().splitlines() if text == "-" else [text]
    if not found:
        raise UsageError("standard input is empty; pipe a text into it, or give TEXT")
    return found


def standard_input() -> str:
    """Return the text of standard input, with invalid UTF-8 replaced; raise `UsageError` if it is closed."""
    if sys.stdin is None:
        raise UsageError("standard input is closed; pipe a text into it, or give TEXT")
    return typer.get_text_stream("stdin", encoding="utf-8", errors="replace").read()


def _counts(path: str) -> dict[str, int] | None:
    """Return the counts of a table's tokens; None if the folder is not a table or has no counts."""
    from rowspace.store import FORMATS, load  # not needed for help

    if not any(known.recognizes(Path(path)) for known in FORMATS):
        return None
    try:
        table = load(path)
    except RowspaceError as error:  # its tokenizer is enough
        message(f"counts are not shown: {error}")
        return None
    return None if table.counts is None else dict(zip(table.vocabulary, table.counts.tolist(), strict=True))
