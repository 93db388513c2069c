"""The fused input of BERT and RoBERTa against separate operations, and errors for other parts."""

import copy

import pytest
import torch
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import InputEmbedding, LearnedPosition, SegmentEmbedding, TokenEmbedding
from rowspace.layers.recipes import bert, gpt2, roberta

IDS = torch.tensor([[5, 6, 7, 1, 1], [8, 9, 3, 4, 0]])
CALLS = {
    "ids": {},
    "segments": {"segments": torch.tensor([[0, 0, 1, 1, 1], [0, 1, 1, 1, 1]])},
    "positions": {"positions": torch.tensor([4, 3, 2, 1, 0])},
    "cache": {"start": 3},
}


def both(embed, ids, **call):
    """Output and gradients, with separate operations and fused."""
    for fused in (False, True):
        model = copy.deepcopy(embed).eval()
        model.fused = fused
        output = model(ids, **call)
        output.backward(torch.randn(output.shape, generator=torch.Generator().manual_seed(0)))
        yield output.detach(), {name: each.grad for name, each in model.named_parameters()}


@pytest.mark.parametrize(("recipe", "options"), [(bert, {}), (roberta, {"num_segments": 2})], ids=["bert", "roberta"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_fused_matches_separate_operations(recipe, options, call):
    torch.manual_seed(0)
    embed = recipe(20, 16, max_positions=12, **options)
    (rows, gradients), (fused_rows, fused_gradients) = both(embed, IDS, **call)
    torch.testing.assert_close(fused_rows, rows, rtol=0, atol=1e-6 * rows.abs().max().item())
    for name, gradient in gradients.items():
        largest = gradient.abs().max().item()
        torch.testing.assert_close(fused_gradients[name], gradient, rtol=0, atol=2e-6 * largest)


def test_copy_stays_fused_and_can_be_turned_off():
    embed = bert(20, 16)
    embed.fused = True
    assert copy.deepcopy(embed).fused
    embed.fused = False
    assert not embed.fused


@pytest.mark.parametrize(
    ("embed", "complaint"),
    [
        (gpt2(20, 16), "not TokenEmbedding, LearnedPosition, NoneType; leave fused off"),
        (
            InputEmbedding(
                tokens=TokenEmbedding(20, 16, scale="sqrt"),
                segments=SegmentEmbedding(2, 16),
                positions=LearnedPosition(9, 16),
                norm=nn.LayerNorm(16),
            ),
            "words without scale",
        ),
    ],
    ids=["other parts", "scale"],
)
def test_fusing_other_inputs_raises(embed, complaint):
    with pytest.raises(UsageError, match=complaint):
        embed.fused = True
    assert not embed.fused
