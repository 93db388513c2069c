"""The reply of the Adapting page."""

from typing import Literal, TypedDict

from rowspace_lab.shared.figure import Shown

WayName = Literal["free", "frozen", "lora", "new"]


class Way(TypedDict):
    """One way to adapt the table, and what it does; losses are means over the draws, in nats for each guessed word."""

    name: WayName
    learned: int
    """How many numbers learn."""
    moved_old: float
    """The mean distance that rows of known words move."""
    moved_new: float
    """The distance that the row of the new word moves."""
    trained: float
    """The loss on the new sentences that it learns from."""
    held_out: float
    """The loss on new sentences that are held out."""
    spread: float
    """The standard deviation of `held_out` over the draws."""
    old: float
    """The loss on the sentences of the pretraining."""


class Adapted(TypedDict):
    """The four ways, and the loss on the pretraining's sentences before."""

    ways: list[Way]
    before: float
    known: int
    """The number of sentences of the pretraining."""
    held_out: int
    """The number of sentences that are held out."""
    draws: int


class AdaptedReply(Adapted, Shown):
    """The ways, with the settings of the request."""

    sentences: int
    rank: int
    old: str
    """The word of the small world whose place the new word takes."""
    new: str
