"""Patches, prefix tokens and heads (a tied head with its table) for the contract suite."""

import torch
from tests.layers.case import Case
from torch import Tensor, nn

from rowspace.layers import PatchEmbedding, PrefixTokens, TiedHead, UntiedHead


class Vision(nn.Module):
    """Images → prefix tokens and patches with positions."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = PatchEmbedding(4, 3, 6, form="convolution", bias=False)
        self.tokens = PrefixTokens(6, distillation=True, registers=2, mask=True)
        self.positions = nn.Parameter(torch.empty(8, 6))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.positions)

    def forward(self, pixels: Tensor, mask: Tensor) -> Tensor:
        patches, _ = self.patches(pixels)
        return self.tokens(patches, positions=self.positions, mask=mask)


class Tied(nn.Module):
    """ids → logits."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
        self.head = TiedHead(self.embedding, bias=True, scale="rsqrt", softcap=3.0, temperature=2.0)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(torch.tanh(self.embedding(ids)))


class TiedLoss(Tied):
    """ids → loss with the same ids as targets, two of them ignored."""

    def forward(self, ids: Tensor) -> Tensor:
        return self.head.loss(torch.tanh(self.embedding(ids)), ids, ignore_index=2, label_smoothing=0.1, z_loss=1e-3)


def images() -> tuple[Tensor]:
    """(2, 3, 8, 12): a grid of 2 × 3 patches of 4 × 4."""
    return (torch.rand(2, 3, 8, 12, generator=torch.Generator().manual_seed(0)),)


def masked_images() -> tuple[Tensor, Tensor]:
    """The same, with two patches masked."""
    return (
        *images(),
        torch.tensor([[True, False, False, False, False, False], [False, False, False, True, False, False]]),
    )


def hidden() -> tuple[Tensor]:
    """(2, 3, 4) hidden states."""
    return (torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0)),)


def some_ids() -> tuple[Tensor]:
    """(2, 4) ids below 10."""
    return (torch.tensor([[2, 2, 5, 0], [9, 1, 2, 0]]),)


CASES = [
    Case("PatchEmbedding linear", lambda: PatchEmbedding(4, 3, 6), images),
    Case("PatchEmbedding convolution", lambda: PatchEmbedding(4, 3, 6, form="convolution"), images),
    Case("PatchEmbedding padded", lambda: PatchEmbedding((3, 5), 3, 6, pad=True), images),
    Case("PatchEmbedding overlapping", lambda: PatchEmbedding(3, 3, 6, stride=2, padding=1), images),
    Case("PrefixTokens", lambda: PrefixTokens(4, registers=2), hidden),
    Case("Vision", Vision, masked_images),
    Case("UntiedHead", lambda: UntiedHead(4, 10, bias=True, softcap=3.0), hidden),
    Case("TiedHead", Tied, some_ids),
    Case("TiedHead loss", TiedLoss, some_ids),
]
