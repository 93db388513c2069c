"""The six input strategies, at full size and scaled down, and the names of the four tasks."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["STRATEGIES", "TASKS", "Strategy"]

Unit = Literal["words", "bpe", "bytes", "patches"]

TASKS = ("next-bytes", "rare-words", "images", "text-in-images")


@dataclass(frozen=True)
class Strategy:
    """How an input becomes a sequence of vectors.

    Attributes:
        name: Its name on the command line.
        unit: The unit that a token represents.
        full_size: V, or the side of a patch in pixels, at full size.
        full_dim: d at full size.
        tied: Whether its head over its own tokens shares the rows of the table.

    >>> STRATEGIES["bpe"].size(32), STRATEGIES["patches-16"].size(32)
    (1000, 4)
    """

    name: str
    unit: Unit
    full_size: int
    full_dim: int
    tied: bool = True

    @property
    def is_patches(self) -> bool:
        """Whether it reads pixels instead of ids."""
        return self.unit == "patches"

    def size(self, scale: int, divisor: int = 4) -> int:
        """Return V, or the side of a patch, at a scale.

        Args:
            scale: Divides V; there are always 256 bytes.
            divisor: Divides the side of a patch.
        """
        if self.is_patches:
            return self.full_size // divisor
        return self.full_size if self.unit == "bytes" else max(64, self.full_size // scale)


STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        Strategy("small-tied", "words", 8_000, 768),
        Strategy("large-untied", "words", 128_000, 4096, tied=False),
        Strategy("bpe", "bpe", 32_000, 768),
        Strategy("bytes", "bytes", 256, 768),
        Strategy("patches-16", "patches", 16, 768),
        Strategy("patches-32", "patches", 32, 768),
    )
}
