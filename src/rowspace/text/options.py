"""How text becomes ids: the choices a caller has. Read next: encode.py."""

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Literal

from rowspace._base.options import Option, validate_options
from rowspace._base.parallel import available_cores
from rowspace.errors import UsageError

__all__ = ["TextOptions"]


@dataclass(frozen=True)
class TextOptions:
    """How text becomes ids; the defaults are gensim's where it has one. Raises UsageError for a wrong value.

    `cased`: keep case; `min_count`: leave out rarer words; `max_vocabulary`: keep so many of the most
    frequent; `sentences`: what ends one, a line, a paragraph (a blank line) or only the document; `field`:
    the field of JSON lines that holds the text, dots for nested ones; `workers`: threads, one for each core
    by default.

    >>> TextOptions(min_count=0)
    Traceback (most recent call last):
    rowspace.errors.UsageError: min_count must be a whole number from 1 to 9,223,372,036,854,775,807, not 0
    """

    cased: Annotated[bool, Option("Keep case.", default="lowercase all", flags="--cased")] = False
    min_count: Annotated[int, Option("Leave out rarer words.", minimum=1, maximum=2**63 - 1)] = 5  # counts are int64
    max_vocabulary: Annotated[
        int | None,
        Option(
            "Keep so many of the most frequent words.", minimum=1, maximum=2**31 - 1, default="all"
        ),  # ids are int32
    ] = None
    sentences: Annotated[
        Literal["line", "paragraph", "document"],
        Option("What ends a sentence.", default="line; standard library paragraph"),
    ] = "line"
    field: Annotated[str | None, Option("The field of JSON lines that holds the text.", default="plain text")] = None
    workers: Annotated[int, Option("Threads.", minimum=1, maximum=1_024, default="all cores")] = dataclasses.field(
        default_factory=available_cores
    )

    def __post_init__(self) -> None:
        validate_options(self)
        if self.field is not None and not (isinstance(self.field, str) and self.field):
            raise UsageError(f"field must be the name of a field, not {self.field!r}")
