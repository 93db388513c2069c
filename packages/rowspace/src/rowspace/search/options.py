"""`IndexOptions`, `BridgeOptions`: how files are divided into passages and searched, and how a bridge is learned.

`settings_of` makes the settings of a new index.
"""

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rowspace._base.options import Option, validate_options
from rowspace.errors import UsageError
from rowspace.files.hub import local_path
from rowspace.search.storage.dataset import is_remote
from rowspace.search.storage.settings import IndexSettings, RecordColumns

if TYPE_CHECKING:
    from rowspace.search.storage.vectors import AnyEncoder

__all__ = ["BridgeKind", "BridgeOptions", "IndexOptions", "check_floats", "settings_of"]

BridgeKind = Literal["auto", "orthogonal", "linear", "low-rank", "mlp"]
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


@dataclass(frozen=True)
class BridgeOptions:
    """How a bridge is learned.

    Attributes:
        sample: The maximum number of passages that are learned from.
        held_out: The maximum number of held-out passages for the recall; half as many select the map.
        kind: The kind of map; "auto" learns all and keeps the one with the best recall. An "mlp" needs scikit-learn
            (`rowspace[analysis]`); if it is missing, "auto" skips it.
        seed: Seed of the sample.

    >>> BridgeOptions(sample=1)
    Traceback (most recent call last):
    rowspace.errors.UsageError: sample must be a whole number from 100 to 10,000,000, not 1
    """

    sample: Annotated[int, Option("Maximum number of passages to learn from.", minimum=100, maximum=10_000_000)] = (
        10_000
    )
    held_out: Annotated[
        int, Option("Maximum number of held-out passages for the recall.", minimum=20, maximum=1_000_000)
    ] = 1_000
    kind: Annotated[
        BridgeKind,
        Option("The map; auto learns all and keeps the one with the best recall; mlp needs rowspace[analysis]."),
    ] = "auto"
    seed: Annotated[int, Option("Seed of the sample.", minimum=0, maximum=2**63 - 1)] = 0

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
