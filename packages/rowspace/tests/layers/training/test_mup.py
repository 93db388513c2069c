"""Under μP a step changes the logits alike at every width; without it, more and more."""

import pytest
import torch
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import PrefixTokens, SoftPrompt, TiedHead, TokenEmbedding, mup_groups, mup_head_scale
from rowspace.layers.recipes import gpt2, t5, vit

BASE = 32


class Model(nn.Module):
    def __init__(self, dim, *, scale):
        super().__init__()
        self.tokens = TokenEmbedding(50, dim, init=nn.init.normal_)
        self.hidden = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.head = TiedHead(self.tokens, scale=scale)

    def forward(self, ids):
        return self.head(self.hidden(self.tokens(ids)))


def change_of_logits(dim, *, is_mup):
    """The mean change of the logits by five steps, over four seeds."""
    found = []
    for seed in range(4):
        torch.manual_seed(seed)
        model = Model(dim, scale=mup_head_scale(dim, BASE) if is_mup else None)
        groups = mup_groups(model, dim, base_dim=BASE, lr=0.01) if is_mup else model.parameters()
        optimizer = torch.optim.Adam(groups, lr=0.01)
        ids = torch.randint(50, (64,))
        before = model(ids).detach()
        for _ in range(5):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(ids), ids.roll(1)).backward()
            optimizer.step()
        found.append((model(ids).detach() - before).abs().mean())
    return float(torch.stack(found).mean())


def test_steps_change_the_logits_alike_at_every_width():
    narrow, wide = (change_of_logits(dim, is_mup=True) for dim in (BASE, 16 * BASE))
    assert 0.5 < wide / narrow < 2
    narrow, wide = (change_of_logits(dim, is_mup=False) for dim in (BASE, 16 * BASE))
    assert wide / narrow > 8


def test_each_parameter_is_in_one_group():
    model = Model(64, scale=0.5)
    kept, slowed = mup_groups(model, 64, base_dim=16, lr=0.1)
    assert len(slowed["params"]) == 2
    assert {id(each) for each in kept["params"] + slowed["params"]} == {id(each) for each in model.parameters()}
    assert (kept["lr"], slowed["lr"]) == (0.1, 0.025)
    with pytest.raises(UsageError, match="must be at least 1, got 0 and 4"):
        mup_head_scale(0, 4)


@pytest.mark.parametrize(
    "make",
    [
        lambda dim: gpt2(50, dim, max_positions=8),
        lambda dim: t5(50, dim, num_heads=4),
        lambda dim: vit(dim, image_size=16, patch_size=4),
        lambda dim: SoftPrompt(4, dim),
        lambda dim: PrefixTokens(dim, registers=4),
        lambda dim: nn.EmbeddingBag(50, dim),
    ],
    ids=["positions", "relative positions", "patches", "prompt", "registers", "bag"],
)
def test_inputs_keep_their_rate(make):
    _, slowed = mup_groups(make(64), 64, base_dim=16, lr=0.1)
    assert not slowed["params"]
