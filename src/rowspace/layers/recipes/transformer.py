"""The Transformer of 2017: rows times √d plus sinusoids, dropout; one table for encoder, decoder and head."""

from typing import Any, Unpack

import torch

from rowspace.errors import UsageError
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.sinusoid import SinusoidPosition
from rowspace.layers.recipes.recipe import Config, Recipe, pick_renamed
from rowspace.layers.tables.token_embedding import TokenEmbedding


def transformer(
    vocab_size: int = 37000,
    embedding_dim: int = 512,
    *,
    padding_idx: int | None = None,
    scaled: bool = True,
    dropout: float = 0.1,
    sinusoids: SinusoidPosition | None = None,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """The first Transformer's input: ids (batch, seq) → (batch, seq, d). Base by default; no longest text.

    The paper's sinusoids by default; Marian's are `SinusoidPosition(d, layout="concatenated", angle_dtype=float64)`.
    The head is `TiedHead(embed.tokens)`, which reads rows without the √d.
    Source: Vaswani et al. 2017, sections 3.4 and 3.5; bit for bit transformers' `MarianEncoder`.

    >>> import torch
    >>> transformer(100, 8)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    return InputEmbedding(
        tokens=TokenEmbedding(
            vocab_size,
            embedding_dim,
            padding_idx=padding_idx,
            scale="sqrt" if scaled else None,
            init="inverse_sqrt" if scaled else "normal",
            **factory,
        ),
        positions=sinusoids if sinusoids is not None else SinusoidPosition(embedding_dim, **factory),
        dropout=dropout,
    )


def arguments(config: Config) -> dict[str, Any]:
    """Those of `transformer`, from the config.json of a Marian model: NumPy made its sinusoids, in float64."""
    names = {
        "vocab_size": "vocab_size",
        "padding_idx": "pad_token_id",
        "scaled": "scale_embedding",
        "dropout": "dropout",
    }
    if "d_model" not in config:
        raise UsageError("the config has no d_model; restore the config.json")
    found = {"scaled": False, **pick_renamed(config, embedding_dim="d_model", **names)}
    sinusoids = SinusoidPosition(found["embedding_dim"], layout="concatenated", angle_dtype=torch.float64)
    return {**found, "sinusoids": sinusoids}


TRANSFORMER = Recipe(transformer, arguments, {"tokens.weight": ("shared.weight", "encoder.embed_tokens.weight")})
