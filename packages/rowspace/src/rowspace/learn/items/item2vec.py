"""item2vec (Barkan & Koenigstein 2016): word2vec with the whole basket as the window.

The order in a basket has no meaning. A basket with more than `window + 1` items, of which the window would reach only a
part, is shuffled in each epoch, so that each pair of it is learned in some epochs.

A recommendation is what the model predicts: with x the mean of the input rows of a basket's items, y an output row and
n its item's count, the score is x·y + ns_exponent * log n. Negative sampling learns x·y as log p(item | basket) minus
the logarithm of the probability with which negatives are drawn (Levy & Goldberg 2014), which this adds again. The
cosine of input rows, as item2vec is often used, says which items can replace each other.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from rowspace.learn.items.interactions import Interactions
from rowspace.learn.items.options import ItemOptions
from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import Trainer

__all__ = ["BasketCorpus", "learn_baskets"]

Rows = NDArray[np.float32]
MIN_CHUNK, CHUNK, CHUNKS = 1_024, 32_768, 64  # ids; as many chunks, if they are not too short


class BasketCorpus:
    """Baskets as sentences, for a trainer (`ChunkedCorpus`).

    Args:
        interactions: Each user is a basket.
        window: Longer baskets than `window + 1` are shuffled.
        seed: Of the shuffling.

    >>> from rowspace.learn import read_interactions
    >>> BasketCorpus(read_interactions([["a", "b"], ["a"]]), window=5, seed=1).chunk(0, epoch=0)
    array([ 0,  1, -1,  0, -1], dtype=int32)
    """

    def __init__(self, interactions: Interactions, *, window: int, seed: int) -> None:
        self.vocabulary, self.counts = interactions.items, interactions.counts
        self.words = interactions.size
        self._starts, self._ids, _ = interactions.by_user
        self._window, self._seed = window, seed
        length = min(CHUNK, max(MIN_CHUNK, self.words // CHUNKS))
        bounds = np.searchsorted(self._starts, np.arange(0, self.words, length))
        self._bounds = np.unique([*bounds, len(self._starts) - 1])

    @property
    def num_chunks(self) -> int:
        """The number of chunks of an epoch."""
        return len(self._bounds) - 1

    def chunk(self, number: int, *, epoch: int) -> NDArray[np.int32]:
        """Return the items of some baskets, with -1 after each: (n,) int32."""
        starts = self._starts[self._bounds[number] : self._bounds[number + 1] + 1]
        ids = np.insert(self._ids[starts[0] : starts[-1]], starts[1:] - starts[0], -1)
        begins = starts - starts[0] + np.arange(len(starts))
        long = np.flatnonzero(np.diff(starts) > self._window + 1)
        if len(long):
            generator = np.random.default_rng((self._seed, epoch, number))
            for basket in long:
                generator.shuffle(ids[begins[basket] : begins[basket + 1] - 1])
        return ids

    def blocks(self) -> Iterator[NDArray[np.int32]]:
        """Yield some chunks, from which the lengths of baskets are estimated."""
        for number in np.unique(np.linspace(0, self.num_chunks - 1, 16).astype(int)).tolist():
            yield self.chunk(number, epoch=0)


def learn_baskets(
    interactions: Interactions, options: ItemOptions, on_epoch: Callable[[int, float], None]
) -> tuple[Rows, Rows, list[float]]:
    """Learn rows of items.

    Args:
        interactions: Each user is a basket.
        options: dim, passes, threads, seed and those of item2vec are read.
        on_epoch: Called after each epoch with its number, from 1, and the mean loss.

    Returns:
        The input rows (I, dim) and the output rows (I, dim), float32, and the mean loss of each epoch.

    Raises:
        UsageError: The rows do not fit into memory.
        FitDiverged: The rows became too large.
    """
    corpus = BasketCorpus(interactions, window=options.window, seed=options.seed)
    word2vec = FitOptions(
        dim=options.dim, model=options.algorithm, epochs=options.passes, window=options.window, shrink_windows=False,
        negatives=options.negatives, ns_exponent=options.ns_exponent, sample=options.sample, workers=options.threads,
        deterministic=options.deterministic, seed=options.seed,
    )  # fmt: skip
    trainer = Trainer(corpus, FitState.start(corpus, word2vec, {}))
    while trainer.state.epoch < options.passes:
        if trainer.run_epoch(lambda _: False):
            on_epoch(trainer.state.epoch, trainer.state.losses[-1])
    weights = trainer.state.weights
    inputs, outputs = (np.ascontiguousarray(rows[: weights.size, : options.dim]) for rows in weights[:2])
    return inputs, outputs, trainer.state.losses
