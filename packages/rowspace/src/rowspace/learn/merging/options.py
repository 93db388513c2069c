"""`AlignOptions`, `CompareOptions` and `MergeOptions`: how tables are aligned, compared and merged."""

import dataclasses
from typing import Annotated, Literal, TypedDict

from rowspace._base.options import Option, validate_options

__all__ = ["AlignKeywords", "AlignOptions", "CompareKeywords", "CompareOptions", "MergeKeywords", "MergeOptions"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlignOptions:
    """How a table is aligned to another one.

    Attributes:
        center: Subtract the mean row of the pairs from each side first. Neighbors by cosine then change.
        scale: Also fit one factor for all rows.
        refine: How often to align again, to pairs that are found after the last alignment: the mutual nearest neighbors
            by CSLS (Conneau et al. 2018) among the first `refine_tokens` tokens.
        refine_tokens: How many of the first tokens of each table take part in the refinement.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> AlignOptions(scale=True).refine
    0
    """

    center: Annotated[
        bool, Option("Subtract the mean row of the pairs first.", default="only rotate", flags="--center")
    ] = False
    scale: Annotated[bool, Option("Also fit one factor for all rows.", default="keep lengths", flags="--scale")] = False
    refine: Annotated[
        int, Option("How often to align again to pairs found after the last time.", minimum=0, maximum=100)
    ] = 0
    refine_tokens: Annotated[
        int, Option("How many of the first tokens may form pairs in a refinement.", minimum=1, maximum=10_000_000)
    ] = 20_000

    def __post_init__(self) -> None:
        validate_options(self)


class AlignKeywords(TypedDict, total=False):
    """The options of `align`, for type checkers; `shows_options` lists them at run time."""

    center: bool
    scale: bool
    refine: int
    refine_tokens: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """How two tables are compared.

    Attributes:
        by: What tokens are sorted and judged by: "cosine", how far the row moved, or "neighbors", the share of the
            nearest neighbors that changed; None takes the cosine if all tables have the same width.
        neighbors: The number of nearest neighbors k of each token.
        min_count: Leave out tokens with a lower count in a table; of no effect for tables without counts.
        align: Rotate the second table into the axes of the first one, or not; None finds out from the rows.
        sample: Compare at most so many tokens, drawn from all that are shared; neighbors are found among all.
        seed: Seed of the sample.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> CompareOptions(by="cosine").neighbors
    100
    """

    by: Annotated[
        Literal["cosine", "neighbors"] | None,
        Option("Sort by how far the row moved, or by the neighbors that changed.", default="cosine, of equal widths"),
    ] = None
    neighbors: Annotated[int, Option("Nearest neighbors of each token.", minimum=1, maximum=10_000)] = 100
    min_count: Annotated[
        int, Option("Leave out tokens with a lower count in a table.", minimum=0, maximum=2**63 - 1)
    ] = 20
    align: Annotated[
        bool | None,
        Option("Rotate the second table first, or not.", default="found out", flags="--align/--same-origin"),
    ] = None
    sample: Annotated[int, Option("Compare at most so many tokens.", minimum=1, maximum=100_000_000)] = 5_000
    seed: Annotated[int, Option("Seed of the sample.", minimum=0, maximum=2**63 - 1)] = 0

    def __post_init__(self) -> None:
        validate_options(self)


class CompareKeywords(TypedDict, total=False):
    """The options of `compare`, for type checkers; `shows_options` lists them at run time."""

    by: Literal["cosine", "neighbors"] | None
    neighbors: int
    min_count: int
    align: bool | None
    sample: int
    seed: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class MergeOptions:
    """How tables are merged.

    Attributes:
        method: "average"; "slerp", spherical interpolation of two tables (Shoemake 1985): directions on the great
            circle, lengths linearly; "task", task arithmetic (Ilharco et al. 2023): a base plus weighted differences.
        align: Align the tables to the first one, or to the base, on the tokens that they share; not needed if all
            come from the same table, as the tables of fine-tuned models do.
        scale: Also fit one factor for each table when it is aligned.
        missing: "keep" gives a token that only some tables have the merged row of these; "drop" keeps tokens that all
            tables have.
        neighbors: The number of nearest neighbors k in the report of neighbors kept; 0 skips it.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> MergeOptions(method="slerp").missing
    'keep'
    """

    method: Annotated[
        Literal["average", "slerp", "task"],
        Option("Average; interpolate two tables on the sphere; or add differences to --base."),
    ] = "average"
    align: Annotated[
        bool, Option("Align the tables first, or not.", default="align", flags="--align/--same-origin")
    ] = True
    scale: Annotated[bool, Option("Also fit one factor for each table.", default="keep lengths", flags="--scale")] = (
        False
    )
    missing: Annotated[Literal["keep", "drop"], Option("Keep or drop tokens that some tables do not have.")] = "keep"
    neighbors: Annotated[
        int, Option("Neighbors of each token in the report of neighbors kept; 0 skips it.", minimum=0, maximum=1_000)
    ] = 10

    def __post_init__(self) -> None:
        validate_options(self)


class MergeKeywords(TypedDict, total=False):
    """The options of `merge`, for type checkers; `shows_options` lists them at run time."""

    method: Literal["average", "slerp", "task"]
    align: bool
    scale: bool
    missing: Literal["keep", "drop"]
    neighbors: int
