"""How the numbers of the lessons are written."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

__all__ = ["picked", "vector_text"]

_T = TypeVar("_T")


def vector_text(values: Iterable[float], digits: int = 2) -> str:
    """Return a vector as text.

    >>> vector_text([0.3, -0.5, 2], 1)
    '(0.3, −0.5, 2.0)'
    """
    return f"({', '.join(f'{value:.{digits}f}' for value in values)})".replace("-", "−")


def picked(seed: int, choices: Sequence[_T]) -> _T:
    """Return the first of the choices for seed 0, and the others in turn for the next seeds.

    >>> [picked(seed, (512, 128, 2048)) for seed in range(4)]
    [512, 128, 2048, 512]
    """
    return choices[seed % len(choices)]
