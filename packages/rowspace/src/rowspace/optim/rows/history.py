"""Values that were the same for all rows at each of the last steps: `History`."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["BOUND", "History"]

BOUND = 4096  # steps that a row may be behind; `RowTable` catches up older rows


class History:
    """One line of numbers for each step from `first` to `now`; `lines[step - first]` is that of `step`.

    The line of `first` itself, the step at which the history starts, is `start`.

    Args:
        start: The first line.
        now: Its step.
        bound: Number of steps that are kept at least.
    """

    def __init__(self, start: list[float], *, now: int = 0, bound: int = BOUND) -> None:
        self.bound = bound
        self.first = self.now = now
        self.lines: NDArray[np.float64] = np.zeros((2 * bound + 2, len(start)))
        self.lines[0] = start

    def append(self, line: list[float]) -> None:
        """Add the line of the next step; once the array is full, the older half is dropped."""
        if self.now - self.first + 1 == len(self.lines):
            kept = self.lines[-self.bound - 1 :].copy()
            self.lines[: len(kept)] = kept
            self.first = self.now - self.bound
        self.now += 1
        self.lines[self.now - self.first] = line

    def line(self, step: int) -> NDArray[np.float64]:
        """The line of a step."""
        line: NDArray[np.float64] = self.lines[step - self.first]
        return line

    @property
    def used_lines(self) -> NDArray[np.float64]:
        """The lines of `first` to `now`."""
        return self.lines[: self.now - self.first + 1]
