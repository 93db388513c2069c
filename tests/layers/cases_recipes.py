"""Every recipe, and what they are composed with, for the contract suite: small, with padding."""

import torch
from tests.layers.case import Case

from rowspace.layers import (
    Concatenation,
    GridPosition,
    ImageEmbedding,
    InputEmbedding,
    LearnedPosition,
    PatchEmbedding,
    RotaryPosition,
    SegmentEmbedding,
    SinusoidPosition,
    TokenEmbedding,
    albert,
    bert,
    bloom,
    clip_text,
    clip_vision,
    deit,
    dinov2,
    gemma,
    gpt2,
    llama,
    mistral,
    modernbert,
    mpt,
    opt,
    qwen,
    roberta,
    siglip_text,
    siglip_vision,
    t5,
    transformer,
    vit,
)


def ids() -> tuple[torch.Tensor]:
    """Ids (2, 5) of a vocabulary of 20, with padding, 1, at the end."""
    return (torch.tensor([[2, 7, 7, 19, 0], [3, 8, 4, 1, 1]]),)


def ids_and_segments() -> tuple[torch.Tensor, torch.Tensor]:
    """The same with segments."""
    return (*ids(), torch.tensor([[0, 0, 0, 1, 1], [0, 1, 1, 0, 0]]))


def images() -> tuple[torch.Tensor]:
    """Two images, of 3 × 2 patches of 4."""
    return (torch.rand(2, 3, 12, 8, generator=torch.Generator().manual_seed(0)),)


def rotary() -> RotaryPosition:
    return RotaryPosition(4)


SQUARE = {"image_size": 8, "patch_size": 4, "dropout": 0.0}

CASES = [
    Case("transformer", lambda: transformer(20, 8, dropout=0.0), ids),
    Case("bert", lambda: bert(20, 8, dropout=0.0, padding_idx=1), ids_and_segments),
    Case("roberta", lambda: roberta(20, 8, dropout=0.0), ids),
    Case("albert", lambda: albert(20, 8, inner_dim=4, padding_idx=1), ids_and_segments),
    Case("gpt2", lambda: gpt2(20, 8, dropout=0.0), ids),
    Case("opt", lambda: opt(20, 8), ids),
    Case("opt, factorised", lambda: opt(20, 8, inner_dim=4), ids),
    Case("llama", lambda: llama(20, 8, rotary=rotary()), ids),
    Case("mistral", lambda: mistral(20, 8, rotary=rotary()), ids),
    Case("qwen", lambda: qwen(20, 8, rotary=rotary()), ids),
    Case("gemma", lambda: gemma(20, 8, padding_idx=1, rotary=rotary()), ids),
    Case("gemma3", lambda: gemma(20, 8, padding_idx=1, rotary=rotary(), sliding_rotary=rotary()), ids),
    Case("t5", lambda: t5(20, 8, num_heads=2, dropout=0.0), ids),
    Case("bloom", lambda: bloom(20, 8, num_heads=2), ids),
    Case("mpt", lambda: mpt(20, 8, num_heads=2), ids),
    Case("modernbert", lambda: modernbert(20, 8, padding_idx=1), ids),
    Case("clip_text", lambda: clip_text(20, 8), ids),
    Case("siglip_text", lambda: siglip_text(20, 8), ids),
    Case("vit", lambda: vit(8, **SQUARE), images),
    Case("deit", lambda: deit(8, **SQUARE), images),
    Case("dinov2", lambda: dinov2(8, **SQUARE, mask=False), images),
    Case("dinov2, registers", lambda: dinov2(8, **SQUARE, registers=4, mask=False), images),
    Case("clip_vision", lambda: clip_vision(8, image_size=8, patch_size=4), images),
    Case("siglip_vision", lambda: siglip_vision(8, image_size=8, patch_size=4), images),
    Case(
        "InputEmbedding",
        lambda: InputEmbedding(
            tokens=TokenEmbedding(20, 4),
            segments=SegmentEmbedding(2, 4),
            positions=SinusoidPosition(4),
            norm=torch.nn.LayerNorm(4),
            projection=torch.nn.Linear(4, 8),
            attention={"rotary": rotary()},
        ),
        ids_and_segments,
    ),
    Case(
        "Concatenation",
        lambda: Concatenation(
            8, tokens=TokenEmbedding(20, 6), segments=SegmentEmbedding(2, 2), positions=LearnedPosition(9, 4)
        ),
        ids_and_segments,
    ),
    Case("GridPosition", lambda: GridPosition((2, 2), 8), lambda: ((3, 2),)),
    Case(
        "ImageEmbedding",
        lambda: ImageEmbedding(
            patches=PatchEmbedding(4, 3, 8), positions=GridPosition((2, 2), 8, prefix=0), norm=torch.nn.LayerNorm(8)
        ),
        images,
    ),
]
