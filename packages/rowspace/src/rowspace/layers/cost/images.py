"""The costs of image models, computed from their config: one function per family, `IMAGES` by model type.

Not counted: a classifier, and ViT's pooler, which published classification models do not have.
"""

from collections.abc import Callable, Mapping
from typing import Any

from rowspace.layers.cost.counts import Cost, attention, classic_block, feed_forward, layer_norm, linear

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
