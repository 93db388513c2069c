"""Rows, widths, parameters and tokens of the strategies at full size and scaled down, from `rowspace.layers.cost`."""

from typing import Any

from rowspace.layers.cost import cost, patch_cost
from rowspace_lab.experiments.arena.options import ArenaOptions
from rowspace_lab.experiments.arena.strategies import Strategy

__all__ = ["attention_flops", "sizes"]

FULL_IMAGE = 224  # pixels


def sizes(strategy: Strategy, options: ArenaOptions) -> dict[str, Any]:
    """Return the sizes of a strategy.

    Args:
        strategy: Which.
        options: The scale.

    Returns:
        "full" and "scaled", each with the vocabulary size or the side of a patch, d, the parameters of the input and
        its own head, and the tokens of one image (None for byte pairs: it depends on the text that trained them).
    """
    return {
        "unit": strategy.unit,
        "tied": strategy.tied,
        "full": _sizes(strategy, strategy.full_size, strategy.full_dim, FULL_IMAGE, channels=3),
        "scaled": _sizes(
            strategy, strategy.size(options.scale, options.divisor), options.dim, options.image_side, channels=1
        ),
    }


def _sizes(strategy: Strategy, size: int, dim: int, image_side: int, *, channels: int) -> dict[str, Any]:
    if strategy.is_patches:
        patches = patch_cost(image_side, size, channels=channels, embedding_dim=dim, prefix=0)
        return {"patch_size": size, "dim": dim, "parameters": patches.parameters, "image_tokens": patches.tokens}
    table = cost({"vocab_size": size, "hidden_size": dim, "tie_word_embeddings": strategy.tied})
    pixels = patch_cost(image_side, 1, prefix=0).tokens
    return {
        "num_embeddings": size,
        "dim": dim,
        "parameters": table.num_parameters,
        "image_tokens": None if strategy.unit == "bpe" else pixels,
    }


def attention_flops(tokens: float, options: ArenaOptions) -> int:
    """Return the operations of attention scores and sums over an input, of all blocks.

    Args:
        tokens: Length of the input.
        options: Width and number of blocks.
    """
    one = patch_cost((1, max(1, round(tokens))), 1, embedding_dim=options.dim, prefix=0)
    return options.layers * one.attention_flops
