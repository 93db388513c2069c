"""`FitOptions`: how rows are learned, with word2vec's meanings and, where they are clear, gensim's names."""

import dataclasses
import os
from collections.abc import Iterable
from typing import Annotated, Literal, TypedDict

from rowspace._base.options import Dim, Option, Seed, Workers, validate_options
from rowspace._base.parallel import available_cores
from rowspace.errors import UsageError
from rowspace.text.tokenizer_options import Normalization, Pretokenization

__all__ = ["FitKeywords", "FitOptions"]

DEFAULT_ALPHA = {"skipgram": 0.035, "cbow": 0.1}


@dataclasses.dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How the rows of a table are learned.

    Attributes:
        dim: Length of a row.
        model: "skipgram" (a word predicts its neighbors) or "cbow" (the neighbors predict the word).
        window: Maximum number of neighbors on each side of a word.
        shrink_windows: Draw each window's size from 1..window, as in word2vec, so that near words have more weight.
        negatives: Negative samples per window, shared by all its pairs. For cbow, three consecutive windows share
            them, rounded up to a multiple of six.
        ns_exponent: Negatives are drawn in proportion to count ** ns_exponent.
        sample: Words with a relative frequency above this are downsampled; 0 keeps all.
        alpha, min_alpha: Learning rate at the start and at the end, linear in between. `alpha=None` is 0.035 for
            skipgram and 0.1 for cbow, or less where the fit would diverge, for example with very wide windows
            (`rowspace.learn.word2vec.rates`), and half of it for a fit with `init`; `min_alpha=None` is 0.3 of alpha.
        epochs: Passes over the text.
        cbow_mean: Average the neighbors' rows (True) or sum them.
        cbow_gradient: "exact" divides the gradient of an average by the number of its terms (koan, 2020);
            "word2vec" does not, as in word2vec.c and gensim.
        subwords: Also learn character n-grams, which give unseen words a row: a word's row is the mean of its own row
            and its n-gram rows (fastText).
        min_n, max_n: Lengths of n-grams in characters, including the angle brackets around a word.
        buckets: Number of rows that n-grams share by hash; only buckets that the vocabulary uses take memory.
        workers: Threads; `None` uses all cores. Results of one worker are reproducible, those of several are only if
            the fit is deterministic.
        deterministic: Learn the same rows with any number of workers: each chunk of the text is learned in eight parts,
            whose changes are added in a fixed order. The rows differ from those of a fit that is not deterministic.
        outputs: Keep the output rows, so that a fit can continue from the table; they take as much space as the rows.
        freeze: "old" leaves the rows of the table of `init` unchanged, and learns those of new words only.
        seed: Seed of the initial rows, the order of the text and all sampling.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> FitOptions(dim=50).window
    5
    """

    dim: Dim = 100
    model: Annotated[
        Literal["skipgram", "cbow"], Option("Predict neighbors from a word, or the word from its neighbors.")
    ] = "skipgram"
    epochs: Annotated[int, Option("Passes over the text.", minimum=1, maximum=100_000)] = 5
    window: Annotated[int, Option("Maximum number of neighbors on each side.", minimum=1, maximum=1_000)] = 5
    shrink_windows: Annotated[
        bool,
        Option(
            "Draw each window's size, so that near words have more weight.",
            default="shrink",
            flags="--shrink-windows/--fixed-windows",
        ),
    ] = True
    negatives: Annotated[int, Option("Negative samples per window.", minimum=1, maximum=1_000)] = 5
    ns_exponent: Annotated[
        float, Option("Draw negatives in proportion to count to this power.", minimum=-10.0, maximum=10.0)
    ] = 0.75
    sample: Annotated[
        float, Option("Downsample words with a higher relative frequency; 0 keeps all.", minimum=0.0, maximum=1.0)
    ] = 1e-3
    alpha: Annotated[
        float | None, Option("Learning rate at the start.", minimum=0.0, maximum=10.0, default="0.035; cbow 0.1")
    ] = None
    min_alpha: Annotated[
        float | None, Option("Learning rate at the end.", minimum=0.0, maximum=10.0, default="0.3 of alpha")
    ] = None
    cbow_mean: Annotated[
        bool, Option("Average the neighbors' rows, or sum them.", default="mean", flags="--cbow-mean/--cbow-sum")
    ] = True
    cbow_gradient: Annotated[Literal["exact", "word2vec"], Option("The exact gradient, or that of word2vec.c.")] = (
        "exact"
    )
    subwords: Annotated[
        bool,
        Option(
            "Also learn character n-grams, which give unseen words a row.", default="words only", flags="--subwords"
        ),
    ] = False
    min_n: Annotated[int, Option("Minimum length of an n-gram.", minimum=1, maximum=1_000)] = 3
    max_n: Annotated[int, Option("Maximum length of an n-gram.", minimum=1, maximum=1_000)] = 6
    buckets: Annotated[int, Option("Number of rows that n-grams share by hash.", minimum=1, maximum=100_000_000)] = (
        2_000_000
    )
    workers: Workers = None
    deterministic: Annotated[
        bool,
        Option("Learn the same rows with any number of workers.", default="depend on workers", flags="--deterministic"),
    ] = False
    outputs: Annotated[
        bool,
        Option(
            "Keep the output rows, so that a fit can continue from the table.",
            default="outputs",
            flags="--outputs/--no-outputs",
        ),
    ] = True
    freeze: Annotated[
        Literal["none", "old"], Option("Rows of the table of --init to leave unchanged: none, or all old ones.")
    ] = "none"
    seed: Seed = 1

    def __post_init__(self) -> None:
        validate_options(self)
        first, last = self.learning_rates
        if last > first:
            raise UsageError(
                f"min_alpha, the learning rate at the end, must not exceed alpha, the learning rate at the start; "
                f"got {last:g} > {first:g}"
            )
        if self.min_n > self.max_n:
            raise UsageError(f"min_n must not exceed max_n, got {self.min_n} > {self.max_n}")

    @property
    def learning_rates(self) -> tuple[float, float]:
        """The learning rate at the start and at the end."""
        start = DEFAULT_ALPHA[self.model] if self.alpha is None else self.alpha
        return start, 0.3 * start if self.min_alpha is None else self.min_alpha

    @property
    def threads(self) -> int:
        """The number of workers."""
        return self.workers or available_cores()

    @property
    def is_repeatable(self) -> bool:
        """Whether the same text gives the same rows."""
        return self.deterministic or self.threads == 1


class FitKeywords(TypedDict, total=False):
    """The options of `fit`, for type checkers; `shows_options` lists them at run time."""

    dim: int
    model: Literal["skipgram", "cbow"]
    epochs: int
    window: int
    shrink_windows: bool
    negatives: int
    ns_exponent: float
    sample: float
    alpha: float | None
    min_alpha: float | None
    cbow_mean: bool
    cbow_gradient: Literal["exact", "word2vec"]
    subwords: bool
    min_n: int
    max_n: int
    buckets: int
    workers: int | None
    deterministic: bool
    outputs: bool
    freeze: Literal["none", "old"]
    seed: int
    split: Literal["words", "whitespace"]
    pattern: str | None
    segmenter: Literal["learned", "none", "jieba", "sudachi", "pythainlp"]
    cased: bool
    min_count: int
    max_vocabulary: int | None
    phrases: int | None
    phrase_threshold: float
    sentences: Literal["line", "paragraph", "document"]
    column: str | None
    tokens: str | os.PathLike[str]
    vocabulary_size: int | None
    normalize: Normalization | None
    pretokenize: Pretokenization | None
    special: Iterable[str] | None
    min_frequency: int | None
