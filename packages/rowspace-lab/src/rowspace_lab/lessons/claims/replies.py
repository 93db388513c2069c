"""The replies of the Claims page, and the frames of its jobs."""

from typing import Literal, NotRequired, TypedDict

from rowspace_lab.shared.figure import Array, Shown

Verdict = Literal["true", "false", "it depends", ""]


class ClaimEntry(TypedDict):
    """A statement in the list."""

    name: str
    statement: str
    """As HTML without a paragraph."""
    job: str
    """The kind of the job that measures it; "" if a request does."""


class ClaimsReply(TypedDict):
    """All claims, in order."""

    introduction: str
    claims: list[ClaimEntry]
    references: list[str]


class ClaimBar(TypedDict):
    """A bar of the small chart."""

    name: str
    value: float


class ClaimTable(TypedDict):
    """A claim measured on one table."""

    id: str
    title: str
    own: bool
    """Whether it is another table that the reader has opened, which does not count for the verdict of the claim."""
    verdict: Verdict
    numbers: str
    """What was measured, as HTML; "" if the table cannot test the claim."""
    unavailable: str
    """Why the table cannot test the claim; "" if it can."""


class Measured(TypedDict):
    """A measured claim."""

    verdict: Verdict
    rule: str
    """How the verdict follows from the numbers."""
    evidence: str
    """As HTML."""


class ClaimReply(Measured, Shown):
    """A measured claim, or the reason why it cannot be measured."""

    bars: list[ClaimBar]
    tables: list[ClaimTable]
    """The claim on each of several tables; empty if it is not about tables."""
    unavailable: str
    """Why the claim cannot be measured; "" if it can."""
    computed: str
    """When, with what and by which command the numbers were computed, as HTML; "" if they were computed now."""


class WiderFrame(Measured):
    """Held-out `losses` (seeds, dims), NaN where nothing is learned yet, and the shares of neighbors `kept`.

    `cut_kept` (widths,) are the shares of neighbors that the open table keeps if it is cut to its first components.
    """

    dims: list[int]
    losses: Array
    kept: NotRequired[Array]
    cut_dims: list[int]
    cut_kept: Array
    cut_chance: float
    cut_words: int
    finished: bool
    code: str


class LongerTextsFrame(Measured):
    """Held-out `bits` (schemes, lengths) per byte at `lengths` (lengths,), of the schemes that are trained."""

    schemes: list[str]
    lengths: Array
    bits: Array
    finished: bool
    code: str


class StoredFrame(Measured):
    """A claim that was measured again."""

    bars: list[ClaimBar]
    finished: bool
    code: str


class TyingFrame(Measured):
    """Held-out `bits` (heads, seeds) per byte of models with tied and untied heads, NaN where none is trained yet."""

    heads: list[str]
    seeds: list[int]
    bits: Array
    finished: bool
    code: str
