import pytest
import torch
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import (
    InputEmbedding,
    LearnedPosition,
    RotaryPosition,
    SegmentEmbedding,
    SinusoidPosition,
    TokenEmbedding,
)

IDS = torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]])


def rounded_sum(*values):
    """The sum from left to right in float32."""
    total = torch.tensor(values[0])
    for value in values[1:]:
        total = total + torch.tensor(value)
    return float(total)


def constant(module, value):
    """The module with all weights set to one value."""
    nn.init.constant_(module.weight, value)
    return module


@torch.no_grad()
def test_parts_are_summed_in_the_order_of_the_arguments():
    tokens = constant(TokenEmbedding(10, 2), 1e8)
    segments = constant(SegmentEmbedding(2, 2), -1e8)
    positions = constant(LearnedPosition(8, 2), 1.0)
    one = InputEmbedding(tokens=tokens, segments=segments, positions=positions)
    other = InputEmbedding(tokens=tokens, positions=positions, segments=segments)
    assert float(one(IDS)[0, 0, 0]) == rounded_sum(1e8, -1e8, 1.0) == 1.0
    assert float(other(IDS)[0, 0, 0]) == rounded_sum(1e8, 1.0, -1e8) == 0.0


def test_norm_then_dropout_then_projection():
    torch.manual_seed(0)
    tokens, norm, projection = TokenEmbedding(10, 6), nn.LayerNorm(6), nn.Linear(6, 3)
    embed = InputEmbedding(tokens=tokens, norm=norm, dropout=0.5, projection=projection)
    torch.manual_seed(1)
    actual = embed(IDS)
    torch.manual_seed(1)
    assert torch.equal(actual, projection(nn.functional.dropout(norm(tokens(IDS)), 0.5)))
    assert torch.equal(embed.eval()(IDS), projection(norm(tokens(IDS))))


def test_segments_are_passed_to_the_segment_embedding():
    embed = InputEmbedding(tokens=TokenEmbedding(10, 2), segments=SegmentEmbedding(2, 2))
    segments = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])
    assert torch.equal(embed(IDS, segments), embed.tokens(IDS) + embed.segments.weight[segments])
    assert torch.equal(embed(IDS), embed(IDS, torch.zeros_like(IDS)))


@pytest.mark.parametrize("positions", [LearnedPosition(8, 2), SinusoidPosition(2)])
def test_positions_continue_after_the_cache(positions):
    embed = InputEmbedding(tokens=TokenEmbedding(10, 2), positions=positions)
    full = embed(IDS)
    assert torch.equal(embed(IDS[:, 2:], start=2), full[:, 2:])
    assert torch.equal(embed(IDS[:, 2:], positions=torch.tensor([2, 3])), full[:, 2:])


def test_positions_as_the_only_part_are_copied_for_each_text():
    for ids in (IDS, IDS[:1], IDS[0]):
        for parts in ({"positions": LearnedPosition(8, 2)}, {"segments": SegmentEmbedding(2, 2)}):
            embed = InputEmbedding(**parts)
            (weight,) = embed.parameters()
            before = weight.detach().clone()
            with torch.no_grad():
                rows = embed(ids)
                assert rows.shape == (*ids.shape, 2)
                rows.add_(1)
            assert torch.equal(weight, before)
    embed = InputEmbedding(positions=LearnedPosition(8, 2), dropout=0.5)
    assert not torch.equal(*embed(torch.zeros(2, 8, dtype=torch.int64)))  # dropout differs by text


def test_mask_is_passed_to_the_positions():
    positions = LearnedPosition(8, 2, offset=2, position_ids_from="mask")
    embed = InputEmbedding(tokens=TokenEmbedding(10, 2), positions=positions)
    mask = torch.tensor([[0, 0, 1, 1], [1, 1, 1, 1]])
    rows = torch.stack((positions.weight[[1, 1, 2, 3]], positions.weight[[2, 3, 4, 5]]))
    assert torch.equal(embed(IDS, mask=mask), embed.tokens(IDS) + rows)


def test_output_for_padding_is_zero():
    """With a mask where it is 0; without one at the end, as XLM counts it."""
    embed = InputEmbedding(tokens=TokenEmbedding(10, 2), norm=nn.LayerNorm(2), padding_idx=4)
    plain = InputEmbedding(tokens=embed.tokens, norm=embed.norm)(IDS)
    expected = plain * torch.tensor([[1, 1, 1, 0], [1, 1, 1, 1]]).unsqueeze(-1)
    assert torch.equal(embed(IDS), expected)
    mask = torch.tensor([[1, 0, 0, 1, 1, 1], [1, 1, 1, 1, 1, 0]])
    assert torch.equal(embed(IDS, mask=mask, start=2), plain * mask[:, 2:].unsqueeze(-1))


def test_sinusoids_keep_bfloat16():
    embed = InputEmbedding(tokens=TokenEmbedding(10, 4), positions=SinusoidPosition(4)).bfloat16()
    assert embed(IDS).dtype == torch.bfloat16


def test_other_parts_get_ids():
    class Count(nn.Module):
        def forward(self, ids):
            return ids.sum(-1, keepdim=True).unsqueeze(-1).float()

    embed = InputEmbedding(tokens=constant(TokenEmbedding(10, 2), 1.0), count=Count())
    assert embed(IDS)[:, 0, 0].tolist() == [10.0, 23.0]


def test_attention_modules_are_stored_and_not_called():
    rotary = RotaryPosition(4)
    embed = InputEmbedding(tokens=TokenEmbedding(10, 8), attention={"rotary": rotary})
    assert embed.rotary is rotary
    assert torch.equal(embed(IDS), embed.tokens(IDS))


def test_number_of_parameters():
    embed = InputEmbedding(tokens=TokenEmbedding(10, 4), positions=LearnedPosition(8, 4), norm=nn.LayerNorm(4))
    assert (embed.num_parameters, embed.bytes) == (40 + 32 + 8, 4 * 80)
    assert list(embed.state_dict()) == ["tokens.weight", "positions.weight", "norm.weight", "norm.bias"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from torch, while it compiles
def test_compiles_as_one_graph():
    parts = {"tokens": TokenEmbedding(10, 4), "segments": SegmentEmbedding(2, 4), "positions": SinusoidPosition(4)}
    embed = InputEmbedding(**parts, norm=nn.LayerNorm(4))
    compiled = torch.compile(embed, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(IDS, IDS % 2), embed(IDS, IDS % 2))


def test_segments_that_no_part_uses_raise():
    with pytest.raises(UsageError, match="segments need a SegmentEmbedding among the parts; omit them"):
        InputEmbedding(tokens=TokenEmbedding(10, 4))(IDS, IDS)


def test_no_parts_raise():
    with pytest.raises(UsageError, match="pass at least one part"):
        InputEmbedding(norm=nn.LayerNorm(4))


@pytest.mark.parametrize(
    ("name", "part", "message"),
    [
        ("forward", nn.Identity(), "forward is already an attribute of InputEmbedding; use another name"),
        ("tokens", 3, "tokens must be a module, not 3"),
    ],
)
def test_invalid_part_raises(name, part, message):
    with pytest.raises(UsageError, match=message):
        InputEmbedding(**{name: part})
