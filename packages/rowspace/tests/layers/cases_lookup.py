"""Small tables of every kind for the contract suite, called with repeated ids."""

import torch
from tests.layers.case import Case
from torch import nn

from rowspace.layers import (
    AdaptiveEmbedding,
    ByteNgramEmbedding,
    FactorizedEmbedding,
    HashedEmbedding,
    HashedNgramEmbedding,
    LoraTable,
    MatryoshkaEmbedding,
    MultiHotEmbedding,
    MultiTokenPrediction,
    QuantizedEmbedding,
    QuotientRemainderEmbedding,
    SegmentEmbedding,
    SoftPrompt,
    TiedHead,
    TokenEmbedding,
    TrainableRows,
    UnitNorm,
)


class Ahead(nn.Module):
    """A table with a `MultiTokenPrediction`, which only refers to it."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = TokenEmbedding(10, 4)
        self.ahead = MultiTokenPrediction(self.tokens, TiedHead(self.tokens), 4, [nn.Tanh()])

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return torch.cat(self.ahead.states(self.tokens(ids), ids))


class Tied(nn.Module):
    """A table and a head that reads its rows: logits."""

    def __init__(self, tokens: nn.Module) -> None:
        super().__init__()
        self.tokens, self.head = tokens, TiedHead(tokens)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.head(self.tokens(ids))
        return logits


def some_ids() -> tuple[torch.Tensor]:
    """(2, 4) ids below 10, including the padding 0."""
    return (torch.tensor([[2, 2, 5, 0], [9, 1, 2, 0]]),)


CASES = [
    Case("TokenEmbedding", lambda: TokenEmbedding(10, 4), some_ids),
    Case("TokenEmbedding padded", lambda: TokenEmbedding(10, 4, padding_idx=0, constraint=UnitNorm()), some_ids),
    Case("TokenEmbedding √d", lambda: TokenEmbedding(10, 4, scale="sqrt", init="inverse_sqrt"), some_ids),
    Case("TokenEmbedding Gemma", lambda: TokenEmbedding(10, 3, scale="rounded_sqrt", init="xavier"), some_ids),
    Case("SegmentEmbedding", lambda: SegmentEmbedding(2, 4), lambda: (torch.tensor([[0, 0, 1], [0, 1, 1]]),)),
    Case("SegmentEmbedding none", lambda: SegmentEmbedding(2, 4), lambda: ()),
    Case("FactorizedEmbedding", lambda: FactorizedEmbedding(10, 6, inner_dim=2, padding_idx=0), some_ids),
    Case("AdaptiveEmbedding", lambda: AdaptiveEmbedding(10, 8, cutoffs=[3, 6], factor=2, scale="sqrt"), some_ids),
    Case("QuotientRemainderEmbedding", lambda: QuotientRemainderEmbedding(10, 4), some_ids),
    Case("QuotientRemainderEmbedding sum", lambda: QuotientRemainderEmbedding(10, 4, combine="sum"), some_ids),
    Case("MultiHotEmbedding", lambda: MultiHotEmbedding(10, 4, padding_idx=0, mode="mean"), some_ids),
    Case(
        "MultiHotEmbedding weights",
        lambda: MultiHotEmbedding(10, 4, padding_idx=0),
        lambda: (*some_ids(), torch.linspace(0.5, 1, 8).reshape(2, 4)),
    ),
    Case("MultiTokenPrediction", Ahead, some_ids),
    Case("SoftPrompt", lambda: SoftPrompt(3, 4), lambda: (torch.linspace(0, 1, 16).reshape(2, 2, 4),)),
    Case("HashedNgramEmbedding", lambda: HashedNgramEmbedding(10, 8, num_rows=7, boundary_id=0, heads=2), some_ids),
    Case("ByteNgramEmbedding", lambda: ByteNgramEmbedding(4, num_rows=9, sizes=(2, 3)), some_ids),
    Case("HashedEmbedding", lambda: HashedEmbedding(10, 4, num_rows=5), some_ids),
    Case("HashedEmbedding weighted", lambda: HashedEmbedding(10, 4, num_rows=5, weighted=True), some_ids),
    Case("QuantizedEmbedding 8", lambda: QuantizedEmbedding.from_float(torch.randn(10, 4)), some_ids),
    Case("QuantizedEmbedding 4", lambda: QuantizedEmbedding.from_float(torch.randn(10, 5), bits=4), some_ids),
    Case("MatryoshkaEmbedding", lambda: MatryoshkaEmbedding(10, 6, dim=3, normalize=True, padding_idx=0), some_ids),
    Case("TrainableRows", lambda: TrainableRows(TokenEmbedding(10, 4), [2, 5]), some_ids),
    Case("LoraTable", lambda: LoraTable(TokenEmbedding(10, 4), 2), some_ids),
    Case("Tied TrainableRows", lambda: Tied(TrainableRows(TokenEmbedding(10, 4), [2, 5])), some_ids),
    Case("Tied LoraTable", lambda: Tied(LoraTable(TokenEmbedding(10, 4), 2)), some_ids),
    Case("Tied QuantizedEmbedding", lambda: Tied(QuantizedEmbedding.from_float(torch.randn(10, 4))), some_ids),
    Case("Tied FactorizedEmbedding", lambda: Tied(FactorizedEmbedding(10, 6, inner_dim=2)), some_ids),
]
