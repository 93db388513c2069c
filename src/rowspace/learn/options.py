"""`FitOptions`: how rows are learned, with word2vec's meanings and, where they are clear, gensim's names."""

import dataclasses
from typing import Literal

from rowspace._base.parallel import available_cores
from rowspace.errors import UsageError

__all__ = ["FitOptions"]

DEFAULT_ALPHA = {"skipgram": 0.035, "cbow": 0.1}


@dataclasses.dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How the rows of a table are learned.

    Attributes:
        dim: length of a row.
        model: "skipgram" (a word predicts its neighbors) or "cbow" (the neighbors predict the word).
        window: the most words to each side that count as neighbors.
        shrink_windows: draw each window's size from 1..window, as word2vec does, so that near words weigh more.
        negatives: words drawn as counter-examples for each window, shared by all its pairs. For cbow, three windows in
            a row share theirs, rounded up to a multiple of six.
        ns_exponent: they are drawn in proportion to count ** ns_exponent.
        sample: words more frequent than this share of the text are thinned out; 0 keeps all.
        alpha, min_alpha: the learning rate at the start and at the end, linear between. `alpha=None` takes 0.035 for
            skipgram and 0.1 for cbow, or less where the fit would diverge, as with very wide windows
            (`rowspace.learn.word2vec.rates`); `min_alpha=None` takes 0.3 of alpha.
        epochs: passes over the text.
        cbow_mean: average the neighbors' rows (True) or sum them.
        cbow_gradient: "exact" divides the gradient of an average by the number of its terms (koan, 2020);
            "word2vec" does not, as word2vec.c and gensim.
        subwords: learn character n-grams with the words, so that unseen words get a row: a word's row is the mean of
            its own and its n-grams' (fastText).
        min_n, max_n: the characters of an n-gram, the angle brackets around a word among them.
        buckets: how many rows all n-grams share by hash; only those that the vocabulary uses take memory.
        workers: threads; `None` takes all cores. One worker is repeatable to the bit; several are not.
        seed: of the first rows, of the order of the text and of everything drawn.

    Raises:
        UsageError: a value that cannot work; the message names it.

    >>> FitOptions(dim=50).window
    5
    """

    dim: int = 100
    model: Literal["skipgram", "cbow"] = "skipgram"
    window: int = 5
    shrink_windows: bool = True
    negatives: int = 5
    ns_exponent: float = 0.75
    sample: float = 1e-3
    alpha: float | None = None
    min_alpha: float | None = None
    epochs: int = 5
    cbow_mean: bool = True
    cbow_gradient: Literal["exact", "word2vec"] = "exact"
    subwords: bool = False
    min_n: int = 3
    max_n: int = 6
    buckets: int = 2_000_000
    workers: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least, most in _RANGES:
            value, kind = getattr(self, name), "a whole number" if isinstance(least, int) else "a number"
            if not (value is None and name in _MAY_BE_NONE) and not _is_between(value, least, most):
                raise UsageError(f"{name} must be {kind} from {least:,} to {most:,}, not {value!r}")
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise UsageError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")

        first, last = self.learning_rates
        if last > first:
            raise UsageError(
                f"min_alpha, the learning rate at the end, must not exceed alpha, the one at the start, but "
                f"{last:g} > {first:g}"
            )
        if self.min_n > self.max_n:
            raise UsageError(f"min_n must not exceed max_n, but {self.min_n} > {self.max_n}")

    @property
    def learning_rates(self) -> tuple[float, float]:
        """The learning rate at the start and at the end."""
        start = DEFAULT_ALPHA[self.model] if self.alpha is None else self.alpha
        return start, 0.3 * start if self.min_alpha is None else self.min_alpha

    @property
    def threads(self) -> int:
        """How many workers learn at once."""
        return self.workers or available_cores()


def _is_between(value: object, least: float, most: float) -> bool:
    """Whether a value is a number in the range, a whole one where the range is made of whole ones."""
    wanted = (int,) if isinstance(least, int) else (int, float)
    return isinstance(value, wanted) and not isinstance(value, bool) and least <= value <= most


_MAY_BE_NONE = ("alpha", "min_alpha", "workers")
_RANGES: list[tuple[str, float, float]] = [
    ("dim", 1, 65_536),
    ("window", 1, 1_000),
    ("negatives", 1, 1_000),
    ("ns_exponent", -10.0, 10.0),
    ("sample", 0.0, 1.0),
    ("alpha", 0.0, 10.0),
    ("min_alpha", 0.0, 10.0),
    ("epochs", 1, 100_000),
    ("min_n", 1, 1_000),
    ("max_n", 1, 1_000),
    ("buckets", 1, 100_000_000),
    ("workers", 1, 1_024),
    ("seed", 0, 2**63 - 1),
]
_CHOICES = {"model": ("skipgram", "cbow"), "cbow_gradient": ("exact", "word2vec")}
