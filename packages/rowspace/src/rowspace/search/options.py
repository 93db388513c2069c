"""`IndexOptions`: how files are divided into passages and searched."""

from dataclasses import dataclass
from typing import Annotated

from rowspace._base.options import Option, validate_options

__all__ = ["IndexOptions"]


@dataclass(frozen=True)
class IndexOptions:
    """How files become an index.

    Attributes:
        max_chars: The maximum length of a passage.
        max_megabytes: Larger files are left out.
        ann_from: The number of passages from which the search by vectors is approximate.

    >>> IndexOptions(max_chars=10)
    Traceback (most recent call last):
    rowspace.errors.UsageError: max_chars must be a whole number from 100 to 100,000, not 10
    """

    max_chars: Annotated[int, Option("Maximum length of a passage, in characters.", minimum=100, maximum=100_000)] = (
        1_500
    )
    max_megabytes: Annotated[int, Option("Leave larger files out.", minimum=1, maximum=2_000)] = 10
    ann_from: Annotated[
        int,
        Option("From this number of passages on, search vectors approximately.", minimum=1_000, maximum=10**12),
    ] = 500_000

    def __post_init__(self) -> None:
        validate_options(self)
