"""The cost of cutting an image into patches: the number of tokens, and of attention over them.

Plain arithmetic: nothing is built.
"""

from dataclasses import dataclass

from rowspace.errors import UsageError
from rowspace.layers.arguments import require_positive

__all__ = ["PatchCost", "patch_cost"]

Size = int | tuple[int, int]


@dataclass(frozen=True)
class PatchCost:
    """Counts of one image size and patch size; all else follows from them.

    grid: patches (down, across); prefix: tokens before them, such as a class token; numbers: those of one patch.
    """

    grid: tuple[int, int]
    prefix: int
    numbers: int
    embedding_dim: int

    @property
    def patches(self) -> int:
        """How many patches the image makes."""
        return self.grid[0] * self.grid[1]

    @property
    def tokens(self) -> int:
        """The length of the sequence: patches and what stands before them."""
        return self.patches + self.prefix

    @property
    def parameters(self) -> int:
        """The weight of the projection and its bias."""
        return (self.numbers + 1) * self.embedding_dim

    @property
    def projection_flops(self) -> int:
        """Of projecting every patch, two for each multiply-add."""
        return 2 * self.patches * self.numbers * self.embedding_dim

    @property
    def scores(self) -> int:
        """What each head of each layer computes: a score for every pair of tokens."""
        return self.tokens**2

    @property
    def attention_flops(self) -> int:
        """Of one layer: scores from queries and keys, then sums of values, all heads together."""
        return 4 * self.scores * self.embedding_dim


def patch_cost(
    image_size: Size,
    patch_size: Size,
    *,
    channels: int = 3,
    embedding_dim: int = 768,
    prefix: int = 1,
    pad: bool = False,
) -> PatchCost:
    """The cost of cutting images of `image_size` (one side, or height and width) in patches; defaults are ViT-Base's.

    A rest that no whole patch covers is left out, or with `pad` filled up to one. Raises `UsageError` for sizes below
    one, and for an image smaller than a patch.

    >>> for side in 32, 16, 8, 4:
    ...     cost = patch_cost(224, side)
    ...     print(side, cost.grid, cost.patches, cost.tokens, cost.scores)
    32 (7, 7) 49 50 2500
    16 (14, 14) 196 197 38809
    8 (28, 28) 784 785 616225
    4 (56, 56) 3136 3137 9840769
    """
    (height, width), (down, across) = (
        (size, size) if isinstance(size, int) else size for size in (image_size, patch_size)
    )
    require_positive(
        height=height, width=width, patch_size=min(down, across), channels=channels, embedding_dim=embedding_dim
    )
    grid = (-(-height // down), -(-width // across)) if pad else (height // down, width // across)
    if not min(grid):
        raise UsageError(
            f"an image of {height} × {width} holds no patch of {down} × {across}; choose a smaller patch, or pad=True"
        )
    return PatchCost(grid, prefix, channels * down * across, embedding_dim)
