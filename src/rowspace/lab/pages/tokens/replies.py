"""The replies of the Tokens page."""

from typing import TypedDict

from rowspace.lab.shared.figure import Array, Shown


class TokenizerSizes(TypedDict):
    """A tokenizer, and the sizes that its vocabulary can be truncated to."""

    kind: str
    sizes: list[int]
    shown: list[int]
    """The sizes that are shown by default."""


class SourceReply(TypedDict):
    """A tokenizer of the page."""

    found: TokenizerSizes | None
    """null if the table has no tokenizer, or if the default one is not learned yet."""


class Split(TypedDict):
    """The tokens of a text at one vocabulary size."""

    size: int
    tokens: list[str]
    texts: list[str]
    """The text of each token."""
    kinds: list[str]
    """Special, added or unknown; empty for other tokens."""
    tokens_per_word: float | None
    """null if any token is unknown."""
    bytes_per_token: float | None
    """The mean over known tokens; null if there are none."""
    unknown: int
    """The number of unknown tokens."""
    unknown_share: float
    """The share of characters that are in unknown tokens."""


class SplitNumbers(TypedDict):
    """`num_tokens` (s,) at each size, and the `ids` (n,) and `counts` (n,) of the tokens of all sizes, concatenated.

    Ids are those of the full vocabulary. Counts are occurrences in the training text, -1 if unknown.
    """

    num_tokens: Array
    ids: Array
    counts: Array


class SplitsReply(SplitNumbers, Shown):
    """A text tokenized at several vocabulary sizes."""

    text: str
    tokenizer: str
    splits: list[Split]
    most: int | None
    """The count of the most frequent token; null if counts are unknown."""


class MergeNumbers(TypedDict):
    """The `counts` and `ranks` (n,) of merges."""

    counts: Array
    ranks: Array


class MergesReply(MergeNumbers, Shown):
    """The merges of a text, from which the page computes the tokens after any step.

    For each of the m initial symbols: `joined` (m,) is the step that joins it to the symbol before it, 0 for none;
    `ends` (m,) is its end in `utf8`; `begins` (m,) is 1 if a word begins with it.
    """

    text: str
    tokenizer: str
    merges: list[tuple[str, str, str]]
    """The left, right and merged token of each step."""
    joined: Array
    utf8: Array
    ends: Array
    begins: Array
