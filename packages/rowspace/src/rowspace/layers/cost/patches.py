"""The cost of splitting an image into patches: the number of tokens, and the attention over them.

Plain arithmetic: nothing is built.
"""

from dataclasses import dataclass

from rowspace.errors import UsageError
from rowspace.layers.arguments import require_positive

__all__ = ["PatchCost", "patch_cost"]

Size = int | tuple[int, int]


@dataclass(frozen=True)
class PatchCost:
    """The cost of one image size and patch size.

    Attributes:
        grid: (height, width) in patches.
        prefix: Number of tokens before the patches, such as a class token.
        numbers: Numbers in a patch: channels · height · width.
        embedding_dim: d.
    """

    grid: tuple[int, int]
    prefix: int
    numbers: int
    embedding_dim: int

    @property
    def patches(self) -> int:
        """Number of patches."""
        return self.grid[0] * self.grid[1]

    @property
    def tokens(self) -> int:
        """Length of the sequence: patches and prefix."""
        return self.patches + self.prefix

    @property
    def parameters(self) -> int:
        """Parameters of the projection, with its bias."""
        return (self.numbers + 1) * self.embedding_dim

    @property
    def projection_flops(self) -> int:
        """Floating-point operations of projecting all patches, two per multiply-add."""
        return 2 * self.patches * self.numbers * self.embedding_dim

    @property
    def scores(self) -> int:
        """Number of attention scores per head and layer: one for every pair of tokens."""
        return self.tokens**2

    @property
    def attention_flops(self) -> int:
        """Floating-point operations of one layer, all heads: scores, and weighted sums of values."""
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
    """Compute the cost of splitting an image into patches, by default that of ViT-Base.

    Args:
        image_size: Side of a square in pixels, or (height, width).
        patch_size: Side of a square in pixels, or (height, width).
        channels: Channels of the image.
        embedding_dim: d.
        prefix: Number of tokens before the patches.
        pad: Whether incomplete patches are padded; otherwise they are dropped.

    Returns:
        The cost.

    Raises:
        UsageError: For a size below 1, or an image smaller than a patch.

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
            f"an image of {height} × {width} has no patch of {down} × {across}; use a smaller patch, or pad=True"
        )
    return PatchCost(grid, prefix, channels * down * across, embedding_dim)
