import pytest
import torch
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import Concatenation, InputEmbedding, LearnedPosition, SegmentEmbedding, TokenEmbedding

IDS = torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]])


def made():
    return {"tokens": TokenEmbedding(10, 6), "segments": SegmentEmbedding(2, 6), "positions": LearnedPosition(8, 6)}


@pytest.mark.parametrize("segments", [None, IDS % 2])
def test_forward_sums_or_concatenates_contributions(segments):
    parts = made()
    norm = nn.LayerNorm(6)
    found = InputEmbedding(norm=norm, **parts).contributions(IDS, segments, start=3)
    assert list(found) == ["tokens", "segments", "positions"]
    assert all(rows.shape == (2, 4, 6) for rows in found.values())
    assert torch.equal(InputEmbedding(**parts)(IDS, segments, start=3), sum(found.values()))
    assert torch.equal(Concatenation(**parts)(IDS, segments, start=3), torch.cat(list(found.values()), -1))
    assert torch.equal(found["positions"][1], parts["positions"].weight[3:7])


def test_gradients_flow_through_contributions():
    embed = InputEmbedding(**made())
    embed.contributions(IDS)["positions"].sum().backward()
    assert embed.positions.weight.grad[:, 0].tolist() == [2, 2, 2, 2, 0, 0, 0, 0]
    assert embed.tokens.weight.grad is None


def test_segments_that_no_part_uses_raise():
    with pytest.raises(UsageError, match="segments need a SegmentEmbedding"):
        InputEmbedding(tokens=TokenEmbedding(10, 6)).contributions(IDS, IDS % 2)
