"""Detects that a fit has diverged: rows or losses that are not finite, or a loss above that of untrained rows.

Output rows start at zero, so all scores of an untrained table are 0, and the loss of a pair is ln 2 for its word and
for each distinct negative. Learning lowers this mean, also on a text of random words; a rate that is too high raises
it, up to several times, before the rows overflow.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FitDiverged
from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import drawn_negatives
from rowspace.learn.word2vec.state import FitState

__all__ = ["Watch", "untrained_loss"]

# The maximum mean loss of a complete epoch, relative to an untrained table; on random words it was at most 1.00.
MAX_EPOCH_RATIO = 1.1
# The same within an epoch, where the loss can still decrease, and after one of fewer than MIN_PAIRS pairs, whose mean
# varies by chance.
MAX_RATIO_WITHIN_EPOCH = 2.0
MIN_PAIRS = 10_000  # minimum for a mean within an epoch


def untrained_loss(counts: NDArray[np.int64], options: FitOptions) -> float:
    """Return the mean loss of a pair of untrained rows; negatives that are drawn twice count once.

    >>> round(untrained_loss(np.full(1_000_000, 5), FitOptions()) / math.log(2), 3)
    6.0
    """
    weights = counts.astype(np.float64) ** options.ns_exponent
    distinct = (1 - (1 - weights / weights.sum()) ** drawn_negatives(options)).sum()
    return float((1 + distinct) * np.log(2))


class Watch:
    """Raises `FitDiverged` when a fit has diverged."""

    def __init__(self, state: FitState, counts: NDArray[np.int64]) -> None:
        self.state = state
        self.untrained = untrained_loss(counts, state.options)

    def within_epoch(self) -> None:
        """Check the mean loss of the epoch so far."""
        state = self.state
        if math.isnan(state.loss) or (
            state.pairs >= MIN_PAIRS and state.loss > MAX_RATIO_WITHIN_EPOCH * self.untrained * state.pairs
        ):
            raise self._error(state.epoch + 1, state.loss / max(1.0, state.pairs))

    def end_of_epoch(self, pairs: float) -> None:
        """Check the rows and the mean loss of the last epoch, over this number of pairs."""
        state = self.state
        ratio = MAX_EPOCH_RATIO if pairs >= MIN_PAIRS else MAX_RATIO_WITHIN_EPOCH
        if not (state.losses[-1] <= ratio * self.untrained and self.rows_are_finite()):
            raise self._error(state.epoch, state.losses[-1])

    def before_saving(self) -> None:
        """Check the rows of a state that can be resumed."""
        if not self.rows_are_finite():
            raise self._error(self.state.epoch + 1, self.state.loss / max(1.0, self.state.pairs))

    def rows_are_finite(self) -> bool:
        """Whether no row has NaN or infinity, which would make the sum not finite."""
        weights = self.state.weights
        with np.errstate(all="ignore"):
            return all(math.isfinite(rows.sum()) for rows in (weights.inputs, weights.outputs, weights.ngrams.rows))

    def _error(self, epoch: int, loss: float) -> FitDiverged:
        options = self.state.options
        increase = f"the mean loss is {loss:.3g}, that of an untrained table {self.untrained:.3g}"
        reason = increase if loss > self.untrained else "its rows are no longer finite"
        return FitDiverged(
            f"learning diverged in epoch {epoch} of {self.state.epochs}: {reason}; "
            f"alpha={options.learning_rates[0]:g} is too high; try a tenth of it, or {self._other_remedies()}"
        )

    def _other_remedies(self) -> str:
        options = self.state.options
        wide = "a smaller window" if options.window > 1 else "fewer negatives"
        return f"{wide} or more buckets" if options.subwords else wide
