"""The fused input of BERT and RoBERTa against separate operations, and errors for other parts."""

import copy

import accelerate
import pytest
import torch
from peft import LoraConfig, get_peft_model
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import InputEmbedding, LearnedPosition, SegmentEmbedding, TokenEmbedding
from rowspace.layers.recipes import bert, gpt2, roberta
from rowspace.optim import DeferredAdamW

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


@pytest.mark.parametrize("padding_idx", [None, 1])
def test_sparse_words_have_the_same_gradients(padding_idx):
    """Also with a deferred optimizer, for which the parts are called."""
    embeds = []
    for sparse in (False, True):
        torch.manual_seed(0)
        tokens = TokenEmbedding(20, 16, padding_idx, sparse=sparse)
        segments, positions = SegmentEmbedding(2, 16), LearnedPosition(12, 16)
        embeds.append(InputEmbedding(tokens=tokens, segments=segments, positions=positions, norm=nn.LayerNorm(16)))
    (_, dense), *_ = both(embeds[0], IDS)
    (_, separate), (_, fused) = both(embeds[1], IDS)
    for gradients in (separate, fused):
        assert gradients["tokens.weight"].is_sparse
        found = set(gradients["tokens.weight"].coalesce().indices()[0].tolist())
        assert found == {0, 3, 4, 5, 6, 7, 8, 9} | ({1} if padding_idx is None else set())
        for name, gradient in gradients.items():
            largest = dense[name].abs().max().item()
            torch.testing.assert_close(gradient.to_dense(), dense[name], rtol=0, atol=2e-6 * largest)
    embeds[1].fused = True
    adamw, deferred = torch.optim.AdamW(embeds[0].parameters()), DeferredAdamW(embeds[1])
    for number in range(20):
        ids = torch.randint(20, (2, 3), generator=torch.Generator().manual_seed(number))
        for embed, optimizer in zip(embeds, (adamw, deferred), strict=True):
            optimizer.zero_grad()
            embed(ids).cos().sum().backward()
            optimizer.step()
    deferred.flush()
    for one, other in zip(embeds[0].parameters(), embeds[1].parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-5)


def test_parts_that_are_hooked_or_wrapped_are_called():
    embed = bert(20, 16).eval()
    rows = embed(IDS).detach()
    embed.fused = True
    with torch.no_grad():
        handle = embed.tokens.register_forward_hook(lambda *_: torch.zeros(2, 5, 16))
        without_words = embed(IDS)
        handle.remove()
        embed.fused = False
        embed.tokens.weight.data, weight = torch.zeros(20, 16), embed.tokens.weight.data
        torch.testing.assert_close(without_words, embed(IDS))
        embed.tokens.weight.data, embed.fused = weight, True
        accelerate.cpu_offload(embed, execution_device="cpu")
        torch.testing.assert_close(embed(IDS), rows, rtol=0, atol=1e-5)


@pytest.mark.parametrize("fused", [False, True])
def test_adapters_get_the_arguments_of_their_part(fused):
    """A wrapper of PEFT around segments or positions is not called with token ids."""
    calls = [*CALLS.values(), {"segments": CALLS["segments"]["segments"], "start": 3}]
    cases = {
        "tokens": LoraConfig(target_modules=["tokens"], r=2),
        "segments": LoraConfig(target_modules=["segments"], r=2),
        "saved segments": LoraConfig(target_modules=["tokens"], modules_to_save=["segments"], r=2),
        "saved positions": LoraConfig(target_modules=["tokens"], modules_to_save=["positions"], r=2),
    }
    for name, config in cases.items():
        torch.manual_seed(0)
        embed = bert(20, 16, max_positions=12).eval()
        embed.fused = fused
        peft = get_peft_model(nn.ModuleDict({"embed": embed}), config)
        with torch.no_grad():
            for parameter in peft.parameters():
                if parameter.requires_grad:
                    parameter.add_(torch.randn_like(parameter))
        rows = [embed(IDS, **call).detach() for call in calls]
        peft.merge_and_unload()
        for call, expected in zip(calls, rows, strict=True):
            torch.testing.assert_close(embed(IDS, **call), expected, rtol=0, atol=2e-5, msg=name)


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


@pytest.mark.parametrize("widths", [(4, 8), (8, 4)], ids=["positions", "norm"])
def test_parts_of_other_widths_raise_as_separate_operations(widths):
    positions, norm = LearnedPosition(9, widths[0]), nn.LayerNorm(widths[1])
    embed = InputEmbedding(
        tokens=TokenEmbedding(20, 8), segments=SegmentEmbedding(2, 8), positions=positions, norm=norm
    )
    for embed.fused in (False, True):
        with pytest.raises(RuntimeError, match=r"size|shape"):
            embed(IDS)
