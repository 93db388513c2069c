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
    """Return the first of the choices for seed 0, and the others in turn for all other seeds.

    A missed question comes back with a seed other than 0, so it never comes back with the same numbers.

    >>> [picked(seed, (512, 128, 2048)) for seed in range(5)]
    [512, 128, 2048, 128, 2048]
    """
    return choices[1 + (seed - 1) % (len(choices) - 1) if seed else 0]
