"""How text becomes ids: the options of a caller."""

import dataclasses
from dataclasses import dataclass
from typing import Literal

from rowspace._base.parallel import available_cores
from rowspace._base.validate import check_whole_number
from rowspace.errors import UsageError

__all__ = ["TextOptions"]

_SENTENCES = ("line", "paragraph", "document")
_MOST = {"min_count": 2**63 - 1, "max_vocabulary": 2**31 - 1, "workers": 1024}  # counts are int64, ids int32


@dataclass(frozen=True)
class TextOptions:
    """How text becomes ids; the defaults are gensim's where it has one.

    Attributes:
        cased: Keep case.
        min_count: Leave out rarer words.
        max_vocabulary: Keep only this many of the most frequent words.
        sentences: What ends a sentence: a line, a paragraph (a blank line) or only the document.
        field: The field of JSON lines that holds the text; dots separate nested names.
        workers: The number of threads, by default one for each core.

    Raises:
        UsageError: a value is out of range.

    >>> TextOptions(min_count=0)
    Traceback (most recent call last):
    rowspace.errors.UsageError: min_count must be a whole number from 1 to 9,223,372,036,854,775,807, not 0
    """

    cased: bool = False
    min_count: int = 5
    max_vocabulary: int | None = None
    sentences: Literal["line", "paragraph", "document"] = "line"
    field: str | None = None
    workers: int = dataclasses.field(default_factory=available_cores)

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            if (value := getattr(self, name)) is not None or name != "max_vocabulary":
                check_whole_number(name, value, 1, most)
        if self.sentences not in _SENTENCES:
            raise UsageError(f"sentences must be one of {', '.join(_SENTENCES)}, not {self.sentences!r}")
        if self.field is not None and not (isinstance(self.field, str) and self.field):
            raise UsageError(f"field must be the name of a field, not {self.field!r}")
