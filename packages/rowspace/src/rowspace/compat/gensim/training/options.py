"""`LearningOptions`: what both learners need to know of a model for one call of `train`."""

import dataclasses

from rowspace._base.parallel import available_cores

__all__ = ["LearningOptions"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class LearningOptions:
    """One call of `train`.

    Attributes:
        dim: Length of a vector.
        mode: What predicts a word, by the numbers of `kernels`.
        window, shrink: Number of neighbors on each side, and whether it is drawn from 1 to `window`.
        negatives: Negative samples of a word; 0 for none.
        softmax: Whether to learn by hierarchical softmax.
        mean: Whether vectors are averaged or summed.
        sample, ns_exponent: As of `rowspace.learn.FitOptions`.
        alpha, alpha_end: The learning rate at the start and at the end.
        epochs: Passes over the text.
        workers: Threads; more than the processor has cores are not started.
        batch_words: Words that a thread learns at a time.
        seed: Seed of all random numbers.
        words_too: Whether PV-DBOW also learns words.
        null_word: The word outside of a sentence, for concatenation.
    """

    dim: int
    mode: int
    window: int
    shrink: bool
    negatives: int
    softmax: bool
    mean: bool
    sample: float
    ns_exponent: float
    alpha: float
    alpha_end: float
    epochs: int
    workers: int
    batch_words: int
    seed: int
    words_too: bool = False
    null_word: int = 0

    def threads(self, pieces: int) -> int:
        """Return the number of threads for a number of pieces of work."""
        return max(1, min(self.workers, pieces, available_cores()))
