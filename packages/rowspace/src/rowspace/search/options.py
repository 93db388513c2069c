"""`IndexOptions`: how files are divided into passages and searched; `settings_of`: the settings of a new index."""

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rowspace._base.options import Option, validate_options
from rowspace.errors import UsageError
from rowspace.files.hub import local_path
from rowspace.search.storage.dataset import is_remote
from rowspace.search.storage.settings import IndexSettings, RecordColumns

if TYPE_CHECKING:
    from rowspace.search.storage.vectors import AnyEncoder

__all__ = ["IndexOptions", "check_floats", "settings_of"]

_FLOATS = ("float32", "float16")


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


def settings_of(
    encoder: "AnyEncoder",
    options: IndexOptions,
    table: str | Path | None,
    roots: Iterable[str],
    columns: RecordColumns | None,
) -> IndexSettings:
    """Return the settings of a new index; raise `UsageError` if the vectors of the encoder are not floats."""
    check_floats(encoder, "an index")
    known = None if table is None else str(table) if is_remote(str(table)) else os.path.realpath(local_path(table))
    return IndexSettings(encoder.fingerprint, encoder.dim, known, tuple(roots), **asdict(options), records=columns)


def check_floats(encoder: "AnyEncoder", purpose: str) -> None:
    """Raise `UsageError` if the vectors of an encoder are not floats, which `purpose` needs."""
    if encoder.options.dtype not in _FLOATS:
        raise UsageError(
            f"{purpose} needs vectors of {' or '.join(_FLOATS)}, and this encoder has dtype={encoder.options.dtype!r}"
        )
