"""The cost of images: patches, as tokens of attention; and image models, one function per family, from their config.

Plain arithmetic: nothing is built.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rowspace.errors import UsageError
from rowspace.layers.arguments import require_not_negative, require_positive
from rowspace.layers.cost.counts import Cost, attention, classic_block, feed_forward, layer_norm, linear

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
        UsageError: For a size below 1, a negative prefix, or an image smaller than a patch.

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
    require_not_negative(prefix=prefix)
    grid = (-(-height // down), -(-width // across)) if pad else (height // down, width // across)
    if not min(grid):
        raise UsageError(
            f"an image of {height} × {width} has no patch of {down} × {across}; use a smaller patch, or pad=True"
        )
    return PatchCost(grid, prefix, channels * down * across, embedding_dim)


Config = Mapping[str, Any]


def vit(c: Config, *, tokens: int = 1) -> Cost:
    """Class token and patches + position; DeiT has a distillation token too."""
    d = c["hidden_size"]
    body = c["num_hidden_layers"] * _block(c, c["intermediate_size"]) + layer_norm(d)
    return _image(c, prefix=tokens * d, positioned=tokens, body=body)


def dinov2(c: Config) -> Cost:
    """As ViT, with a mask token and registers without a position; each half of a block is scaled."""
    d = c["hidden_size"]
    inner = c["mlp_ratio"] * d
    block = _block(c, inner) + 2 * d
    if c["use_swiglu_ffn"]:
        inner = (inner * 2 // 3 + 7) // 8 * 8
        block += linear(d, 2 * inner) + linear(inner, d) - feed_forward(d, c["mlp_ratio"] * d)
    others = c.get("use_mask_token", True) + c.get("num_register_tokens", 0)
    return _image(c, prefix=(1 + others) * d, positioned=1, body=c["num_hidden_layers"] * block + layer_norm(d))


def clip_vision(c: Config) -> Cost:
    """Patches without bias, class token, + position → LayerNorm."""
    d = c["hidden_size"]
    body = c["num_hidden_layers"] * classic_block(d, c["intermediate_size"]) + layer_norm(d)
    return _image(c, prefix=d, positioned=1, body=body, norm=layer_norm(d), patch_bias=False)


def siglip_vision(c: Config) -> Cost:
    """Patches + position, no class token; pooled by an attention head."""
    d = c["hidden_size"]
    body = c["num_hidden_layers"] * classic_block(d, c["intermediate_size"]) + layer_norm(d)
    if c["vision_use_head"]:
        probe, norms = d, layer_norm(d)
        body += probe + norms + attention(d) + feed_forward(d, c["intermediate_size"])
    return _image(c, prefix=0, positioned=0, body=body)


def _block(c: Config, inner: int) -> int:
    """`classic_block`, with or without biases of queries, keys and values."""
    d = int(c["hidden_size"])
    return classic_block(d, inner) - 3 * d * (not c["qkv_bias"])


def _image(c: Config, *, prefix: int, positioned: int, body: int, norm: int = 0, patch_bias: bool = True) -> Cost:
    """The cost of patches, with a row of positions for each patch and for `positioned` prefix tokens."""
    d, products = c["hidden_size"], c["num_channels"] * _area(c["patch_size"]) * c["hidden_size"]
    return Cost(
        model_type=c["model_type"],
        hidden_dim=d,
        num_layers=c["num_hidden_layers"],
        tied=False,
        position_scheme="learned",
        patches=products + d * patch_bias,
        prefix=prefix,
        positions=(_num_patches(c) + positioned) * d,
        norm=norm,
        body=body,
        input_products=products,
    )


def _num_patches(c: Config) -> int:
    """Number of complete patches of an image."""
    return int(
        (_pair(c["image_size"])[0] // _pair(c["patch_size"])[0])
        * (_pair(c["image_size"])[1] // _pair(c["patch_size"])[1])
    )


def _area(size: Any) -> int:
    return _pair(size)[0] * _pair(size)[1]


def _pair(size: Any) -> tuple[int, int]:
    """(height, width) of a size that may be one number."""
    return (size, size) if isinstance(size, int) else (size[0], size[1])


IMAGES: dict[str, Callable[[Config], Cost]] = {
    "vit": vit,
    "deit": lambda c: vit(c, tokens=2),
    "dinov2": dinov2,
    "dinov2_with_registers": dinov2,
    "clip_vision_model": clip_vision,
    "siglip_vision_model": siglip_vision,
}
