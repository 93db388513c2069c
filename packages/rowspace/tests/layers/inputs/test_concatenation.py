import pytest
import torch
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers import (
    AdaptiveEmbedding,
    Concatenation,
    FactorizedEmbedding,
    HashedEmbedding,
    InputEmbedding,
    LearnedPosition,
    MatryoshkaEmbedding,
    QuantizedEmbedding,
    QuotientRemainderEmbedding,
    SegmentEmbedding,
    TokenEmbedding,
)

IDS = torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]])


def parts(*widths):
    tokens, segments, positions = widths
    return {
        "tokens": TokenEmbedding(10, tokens),
        "segments": SegmentEmbedding(2, segments),
        "positions": LearnedPosition(8, positions),
    }


def test_dimensions_of_parts_are_concatenated():
    made = parts(4, 2, 3)
    embed = Concatenation(**made)
    actual = embed(IDS, IDS % 2)
    assert actual.shape == (2, 4, 9)
    assert torch.equal(actual[..., :4], made["tokens"](IDS))
    assert torch.equal(actual[..., 4:6], made["segments"](IDS % 2))
    assert torch.equal(actual[..., 6:], made["positions"].weight[:4].expand(2, -1, -1))
    assert embed.flops_per_token == 0


def test_one_row_for_all_positions_is_expanded():
    made = parts(4, 2, 3)
    assert torch.equal(Concatenation(**made)(IDS), Concatenation(**made)(IDS, torch.zeros_like(IDS)))


def test_stacked_identities_give_the_sum():
    made = parts(4, 4, 4)
    embed = Concatenation(4, **made)
    with torch.no_grad():
        embed.projection.weight.copy_(torch.eye(4).repeat(1, 3))
    torch.testing.assert_close(embed(IDS, IDS % 2), InputEmbedding(**made)(IDS, IDS % 2))


def test_cost_matches_the_module_docstring():
    with torch.device("meta"):
        embed = Concatenation(768, **parts(768, 768, 768))
    assert embed.projection.weight.numel() == 3 * 768**2 == 1_769_472
    assert embed.flops_per_token == 3_538_944


def test_positions_continue_after_the_cache():
    embed = Concatenation(**parts(4, 2, 3))
    assert torch.equal(embed(IDS[:, 2:], start=2), embed(IDS)[:, 2:])


def test_part_without_embedding_dim_raises():
    with pytest.raises(UsageError, match="other has no embedding_dim"):
        Concatenation(tokens=TokenEmbedding(10, 4), other=nn.Identity())


def test_every_table_can_be_a_part():
    tables = {
        "factorized": FactorizedEmbedding(10, 3, inner_dim=2),
        "adaptive": AdaptiveEmbedding(10, 4, cutoffs=[3]),
        "quotients": QuotientRemainderEmbedding(10, 2),
        "hashed": HashedEmbedding(10, 5, num_rows=4),
        "quantized": QuantizedEmbedding.from_float(torch.randn(10, 3)),
        "nested": MatryoshkaEmbedding(10, 6, dim=2),
        "torchs": nn.Embedding(10, 2),
    }
    embed = Concatenation(7, **tables)
    assert embed.projection.in_features == 3 + 4 + 2 + 5 + 3 + 2 + 2
    side_by_side = torch.cat([table(IDS) for table in tables.values()], dim=-1)
    assert torch.equal(embed(IDS), embed.projection(side_by_side))
    assert {(table.num_embeddings, table.embedding_dim >= 2) for table in tables.values()} == {(10, True)}


def test_each_part_may_have_separate_ids():
    words, tags = TokenEmbedding(10, 4), TokenEmbedding(3, 2)
    positions = LearnedPosition(8, 3)
    embed = Concatenation(words=words, tags=tags, positions=positions)
    ids = {"words": IDS, "tags": IDS % 3}
    expected = torch.cat([words(IDS), tags(IDS % 3), positions.weight[:4].expand(2, -1, -1)], dim=-1)
    assert torch.equal(embed(ids), expected)
    assert torch.equal(torch.export.export(embed, (ids,)).module()(ids), expected)


def test_invalid_ids_by_name_raise():
    embed = Concatenation(words=TokenEmbedding(10, 4), tags=TokenEmbedding(3, 2))
    wrong = {
        "ids of 'tags' are missing": {"words": IDS},
        r"ids have the names \['words', 'tag'\], but the parts are": {"words": IDS, "tag": IDS},
        "ids must have one shape for all parts": {"words": IDS, "tags": IDS[:1]},
        r"ids\['tags'\] must be a tensor, not a list": {"words": IDS, "tags": [1]},
    }
    for message, ids in wrong.items():
        with pytest.raises(UsageError, match=message):
            embed(ids)


def test_segments_that_no_part_uses_raise():
    with pytest.raises(UsageError, match="segments need a SegmentEmbedding"):
        Concatenation(tokens=TokenEmbedding(10, 4))(IDS, IDS)
