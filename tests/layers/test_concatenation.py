import pytest
import torch
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import Concatenation, InputEmbedding, LearnedPosition, SegmentEmbedding, TokenEmbedding

IDS = torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]])


def parts(*widths):
    tokens, segments, positions = widths
    return {
        "tokens": TokenEmbedding(10, tokens),
        "segments": SegmentEmbedding(2, segments),
        "positions": LearnedPosition(8, positions),
    }


def test_each_part_keeps_its_own_dimensions():
    made = parts(4, 2, 3)
    embed = Concatenation(**made)
    actual = embed(IDS, IDS % 2)
    assert actual.shape == (2, 4, 9)
    assert torch.equal(actual[..., :4], made["tokens"](IDS))
    assert torch.equal(actual[..., 4:6], made["segments"](IDS % 2))
    assert torch.equal(actual[..., 6:], made["positions"].weight[:4].expand(2, -1, -1))
    assert embed.flops_per_token == 0


def test_one_row_for_all_places_is_repeated():
    made = parts(4, 2, 3)
    assert torch.equal(Concatenation(**made)(IDS), Concatenation(**made)(IDS, torch.zeros_like(IDS)))


def test_a_sum_is_identities_on_top_of_one_another():
    made = parts(4, 4, 4)
    embed = Concatenation(4, **made)
    with torch.no_grad():
        embed.projection.weight.copy_(torch.eye(4).repeat(1, 3))
    torch.testing.assert_close(embed(IDS, IDS % 2), InputEmbedding(**made)(IDS, IDS % 2))


def test_the_cost_is_that_of_the_header():
    with torch.device("meta"):
        embed = Concatenation(768, **parts(768, 768, 768))
    assert embed.projection.weight.numel() == 3 * 768**2 == 1_769_472
    assert embed.flops_per_token == 3_538_944


def test_positions_go_on_where_the_cache_ends():
    embed = Concatenation(**parts(4, 2, 3))
    assert torch.equal(embed(IDS[:, 2:], start=2), embed(IDS)[:, 2:])


def test_a_part_that_does_not_say_how_wide_it_is():
    with pytest.raises(UsageError, match="other has no embedding_dim"):
        Concatenation(tokens=TokenEmbedding(10, 4), other=nn.Identity())


def test_segments_that_no_part_takes():
    with pytest.raises(UsageError, match="no part is a SegmentEmbedding"):
        Concatenation(tokens=TokenEmbedding(10, 4))(IDS, IDS)
