"""The replies of the Tokens page."""

from typing import TypedDict

from rowspace_lab.shared.figure import Array, Shown


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


class AdjacentPairs(TypedDict):
    """The pairs of adjacent tokens after `step` merges, with their `counts` (p,), the most frequent first."""

    step: int
    """The number of merges made: at most the requested number, fewer if no pair occurs twice before."""
    pairs: list[tuple[str, str]]
    counts: Array
    num_tokens: int
    num_pairs: int
    """The number of places where two tokens are adjacent: the sum of the counts."""


class AdjacentPairsReply(AdjacentPairs, Shown):
    """All pairs of adjacent tokens of a text; the first one is merged next if it occurs at least twice."""

    text: str
    across: bool


class SharingNumbers(TypedDict):
    """The frequent words that contain each token of the text, for the tokens of all sizes, concatenated."""

    words: list[list[str]]
    """The most frequent ones, without the words of the text."""
    num_words: Array
    """(n,) how many of the frequent words contain the token."""
    num_frequent: int
    """The number of frequent words that were searched."""


class SharingReply(SharingNumbers, Shown):
    """The other frequent words that each token of a text is a piece of."""

    text: str
    tokenizer: str


class TradeoffNumbers(TypedDict):
    """What follows from the vocabulary size, measured for byte-level BPE and for words.

    `sizes` (s,) and `table_bytes` (s,); the others are (2, s), first for BPE, then for words: `tokens_per_word` of the
    held-out text, `scores` of attention per layer and head for 1,000 words, `median_counts` of the rows in the
    training text, and `unwritten`, the share of the held-out characters that no token contains. NaN where the training
    text has fewer words than the size.
    """

    sizes: Array
    table_bytes: Array
    tokens_per_word: Array
    scores: Array
    median_counts: Array
    unwritten: Array
    train_bytes: int
    held_out_bytes: int


class TradeoffReply(TradeoffNumbers, Shown):
    """The measurements by vocabulary size."""

    dim: int


class TokenizerChoice(TypedDict):
    """A tokenizer that can be compared."""

    id: str
    title: str
    place: str
    """Where it was found."""


class TokenizersReply(TypedDict):
    """The tokenizers that can be compared, and the id of the one that was uploaded by this request."""

    tokenizers: list[TokenizerChoice]
    uploaded: str | None


class ComparedTokenizer(TypedDict):
    """A tokenizer applied to the text, or the error for one that does not open."""

    id: str
    title: str
    kind: str | None
    split: Split | None
    error: str | None


class ComparisonNumbers(TypedDict):
    """`num_tokens` (t,) by each tokenizer that opens, and the `ids` (n,) of their tokens, concatenated."""

    num_tokens: Array
    ids: Array


class ComparisonReply(ComparisonNumbers, Shown):
    """A text tokenized by several tokenizers."""

    text: str
    tokenizers: list[ComparedTokenizer]
