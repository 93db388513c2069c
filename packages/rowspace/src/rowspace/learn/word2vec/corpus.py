"""`ChunkedCorpus`: what a trainer reads: `rowspace.text.IdCorpus`, or one that makes its ids as they are read."""

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["ChunkedCorpus"]


class ChunkedCorpus(Protocol):
    """Sentences of ids, in chunks that workers read in any order and from several threads.

    Attributes:
        vocabulary: V tokens by falling count.
        counts: (V,) int64, how often each id is read in an epoch; at least 1 each. Negatives are drawn by it.
        words: The number of ids that are read in an epoch, for the progress.
    """

    vocabulary: list[str]
    counts: NDArray[np.int64]
    words: int

    @property
    def num_chunks(self) -> int:
        """The number of chunks of an epoch."""

    def chunk(self, number: int, *, epoch: int) -> NDArray[np.int32]:
        """Return the ids of one chunk, (n,) int32, with a negative id at the end of each sentence.

        The same number and epoch must give the same ids, so that the rows of one worker are reproducible.
        """

    def blocks(self) -> Iterator[NDArray[np.int32]]:
        """Yield some parts of the ids, from which the lengths of sentences are estimated."""
