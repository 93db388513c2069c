"""The replies of the Tokens page."""

from typing import TypedDict

from rowspace.lab.shared.figure import Array, Shown


class TokenizerSizes(TypedDict):
    """A tokenizer, and what its vocabulary can be cut to."""

    kind: str
    sizes: list[int]
    shown: list[int]
    """Which of them to show at first."""


class SourceReply(TypedDict):
    """A tokenizer that texts can be split with."""

    found: TokenizerSizes | None
    """null where there is no such tokenizer, or none yet."""


class Split(TypedDict):
    """The tokens of a text at one size of the vocabulary."""

    size: int
    tokens: list[str]
    texts: list[str]
    """What each token stands for in the text."""
    kinds: list[str]
    """Special, added or unknown; empty for the others."""
    tokens_per_word: float | None
    """null where some tokens are unknown."""
    bytes_per_token: float | None
    """Of the known tokens; null where there are none."""
    unknown: int
    """How many tokens are unknown."""
    unknown_share: float
    """The share of the characters in them."""


class SplitNumbers(TypedDict):
    """`num_tokens` (s,) of each size; `ids` (n,) in the whole vocabulary and `counts` (n,), one size after the other.

    A count says how often the token was trained, -1 where that is not known.
    """

    num_tokens: Array
    ids: Array
    counts: Array


class SplitsReply(SplitNumbers, Shown):
    """A text at several sizes of the vocabulary."""

    text: str
    tokenizer: str
    splits: list[Split]
    most: int | None
    """How often the most frequent token was trained; null where no counts are known."""


class MergeNumbers(TypedDict):
    """The `counts` and `ranks` (n,) of merges."""

    counts: Array
    ranks: Array


class MergesReply(MergeNumbers, Shown):
    """The merges of a text, and the step that joined each of its m symbols.

    `joined` (m,) is that step, 0 for a symbol that was never joined to the one before it; `ends` (m,) says where in
    `utf8` each symbol ends, `begins` (m,) whether a word begins with it. With these the page shows the tokens after any
    step.
    """

    text: str
    tokenizer: str
    merges: list[tuple[str, str, str]]
    """Left, right, and what they make, in the order of the steps."""
    joined: Array
    utf8: Array
    ends: Array
    begins: Array
