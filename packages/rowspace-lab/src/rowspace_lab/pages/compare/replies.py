"""The replies of the Compare page."""

from typing import TypedDict

from rowspace_lab.shared.figure import Array, Shown


class ComparedTokens(TypedDict):
    """The n compared tokens, most changed first.

    (n,) each: `at`, the lowest count of a token in a table (that in the first one if others have no counts), or where
    `x` is "place" its place in the first table; `kept`, its cosine or the share of its neighbors that are the same, as
    `by` says; `limits`, the least of these that chance explains, NaN without a null; `overlaps` and `cosines`, both
    measures, cosines NaN where widths differ.
    """

    tokens: list[str]
    by: str
    """cosine or neighbors."""
    x: str
    """count or place."""
    counted: bool
    """Whether all tables have counts, of which the lowest one that is compared can be chosen."""
    at: Array
    kept: Array
    limits: Array
    chance: Array
    """(tables of the null, n) what each token kept from the first table to each of these."""
    overlaps: Array
    cosines: Array
    neighbors: int
    """How many nearest neighbors of a token are compared."""
    aligned: bool | None
    """Whether the second table was rotated; null where widths differ."""
    shared: int
    only_before: int
    only_after: int
    rare: int
    """The shared tokens with too low a count."""
    without_row: int
    """The shared tokens with a row of zeros, not finite, or missing in the null."""
    same_tokenizer: bool
    eligible: int
    """The tokens of which the compared ones are a sample."""
    median: float
    """Of `kept`."""
    null_median: float | None
    null_range: list[float] | None
    """The range that holds 90 % of the values of the null."""
    beyond: int | None
    """The tokens that changed by more than chance explains; null without a null, as the next one."""
    expected_share: float | None


class TokensReply(ComparedTokens, Shown):
    """The compared tokens, with the tables and the settings of the request."""

    before: str
    """The title of a table."""
    after: str
    other: str
    """The id of the second table."""
    null: list[str]
    """The ids of the tables that were chosen as the null."""
    null_titles: list[str]
    refits: int
    """The tables of the null that the server has learned again with other seeds."""
    can_refit: bool
    """Whether the server can learn the first table again: its text or graph is known, and small."""


class WordNeighbors(TypedDict):
    """The nearest neighbors of a word in both tables, among the tokens that both have."""

    before: list[str]
    after: list[str]


class WordReply(WordNeighbors, Shown):
    """The neighbors of a word."""

    word: str
    asked: str
    """The word of the request, which a table may not have; the most changed word takes its place."""
