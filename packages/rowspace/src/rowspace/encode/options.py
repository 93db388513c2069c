"""`EncodeOptions`: how an encoder turns texts into vectors, and `pool_rule`: their pooling as a number for kernels."""

import dataclasses
from typing import Annotated, Any, Literal, TypedDict

from rowspace._base.options import Option, validate_options
from rowspace._base.plural import join_names
from rowspace.errors import UsageError

__all__ = [
    "COUNT_MISSING",
    "FIRST",
    "KEEP_UNKNOWN",
    "MAX",
    "NORMALIZE",
    "POOLING",
    "SUM",
    "DType",
    "EncodeKeywords",
    "EncodeOptions",
    "Mode",
    "Pooling",
    "options_from",
    "pool_rule",
]

Mode = Literal["rowspace", "model2vec", "sentence-transformers", "contextual"]
Pooling = Literal["mean", "sif", "sum", "first", "max"]
DType = Literal["float32", "float16", "int8", "binary", "ubinary"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class EncodeOptions:
    """How texts become vectors.

    Attributes:
        mode: The library whose rules apply to unknown tokens, long texts and normalization (`rowspace.encode.modes`).
            "rowspace" leaves unknown tokens out, cuts no text and does not normalize; "model2vec" and
            "sentence-transformers" give the vectors of these libraries. "contextual" runs a model of transformers
            instead, in `Encoder.load`.
        pooling: "mean", "sum", "first" (the first token's row) or "max" (of each column). "sif" is a mean of rows times
            a / (a + p), where p is the token's share of the counts (Arora et al. 2017, without the removal of the first
            principal component); it needs a table with counts.
        dim: Keep this many leading columns of the rows (Matryoshka); `None` keeps all.
        normalize: Scale vectors to length 1, after the cut to `dim`; `None`: as the mode and the table say.
        max_tokens: Maximum number of tokens of a text, 0 for all; `None`: as the mode and the table say.
        dtype: Type of the vectors' numbers; see `rowspace.encode.precision`.
        sif_a: The constant a of "sif".
        workers: Threads; `None` uses all cores. The `tokenizers` library has its own threads.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> EncodeOptions(pooling="max").mode
    'rowspace'
    """

    mode: Annotated[
        Mode,
        Option("The library whose rules apply; contextual runs a model of transformers.", default="that of the table"),
    ] = "rowspace"
    pooling: Annotated[Pooling, Option("Pooling of the rows of a text's tokens.")] = "mean"
    dim: Annotated[int | None, Option("Keep this many leading columns.", minimum=1, maximum=1 << 30, default="all")] = (
        None
    )
    normalize: Annotated[bool | None, Option("Scale vectors to length 1.", default="as the mode says")] = None
    max_tokens: Annotated[
        int | None,
        Option(
            "Maximum number of tokens of a text; 0 for all.", minimum=0, maximum=1 << 40, default="as the mode says"
        ),
    ] = None
    dtype: Annotated[DType, Option("Type of the vectors' numbers.")] = "float32"
    sif_a: Annotated[float, Option("The constant a of sif's weights a / (a + p).", minimum=1e-12, maximum=1e12)] = 1e-3
    workers: Annotated[
        int | None, Option("Threads; with --on, parts at a time.", minimum=1, maximum=1_024, default="one per core")
    ] = None

    def __post_init__(self) -> None:
        validate_options(self)
        if self.normalize not in (None, True, False):
            raise UsageError(f"normalize must be True, False or None, not {self.normalize!r}")


def options_from(keywords: dict[str, Any]) -> EncodeOptions:
    """Return options from keywords.

    Raises:
        UsageError: An option is unknown or invalid.

    >>> options_from({"pool": "mean"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rowspace.errors.UsageError: unknown option 'pool'; the options are 'dim', 'dtype', 'max_tokens', ...
    """
    names = [field.name for field in dataclasses.fields(EncodeOptions)]
    for name in keywords:
        if name not in names:
            raise UsageError(f"unknown option {name!r}; the options are {join_names(names)}")
    return EncodeOptions(**keywords)


class EncodeKeywords(TypedDict, total=False):
    """The options of `Encoder` but the mode, for type checkers; `shows_options` lists them at run time."""

    pooling: Pooling
    dim: int | None
    normalize: bool | None
    max_tokens: int | None
    dtype: DType
    sif_a: float
    workers: int | None


# A rule is one number: as a tuple, it makes encoding one text of three words 8 % (1 µs) slower.
SUM, FIRST, MAX, POOLING = 1, 2, 3, 3  # 0: mean
NORMALIZE, KEEP_UNKNOWN, COUNT_MISSING = 4, 8, 16
POOLINGS = {"mean": 0, "sif": 0, "sum": SUM, "first": FIRST, "max": MAX}


def pool_rule(
    pooling: Pooling, *, keep_unknown: bool = False, count_missing: bool = False, normalize: bool = False
) -> int:
    """Return how the ids of a text become its vector, as the number that kernels take.

    Args:
        pooling: As in `EncodeOptions`; the weights of "sif" are those of the `RowPooler`.
        keep_unknown: The unknown token counts as any other; otherwise it is left out.
        count_missing: An id without a row counts as a row of zeros; otherwise it is left out.
        normalize: Scale to length 1.
    """
    flags = NORMALIZE * normalize | KEEP_UNKNOWN * keep_unknown | COUNT_MISSING * count_missing
    return POOLINGS[pooling] | flags
