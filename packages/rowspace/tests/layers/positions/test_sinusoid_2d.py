import pytest
import torch
from transformers import ViTMAEConfig
from transformers.models.vit_mae.modeling_vit_mae import ViTMAEEmbeddings, build_2d_sinusoidal_position_embedding

from rowspace.errors import UsageError
from rowspace.layers import SinusoidGrid


@pytest.mark.parametrize("side", [1, 4, 14])
def test_matches_vit_mae_bit_for_bit(side):
    # transformers' ViTMAEEmbeddings, with the class token
    embeddings = ViTMAEEmbeddings(ViTMAEConfig(image_size=16 * side, patch_size=16, hidden_size=96))
    embeddings.initialize_weights()
    assert torch.equal(SinusoidGrid(96, prefix_rows=1)(side, side), embeddings.position_embeddings[0])


@pytest.mark.parametrize(("height", "width"), [(3, 5), (5, 3), (1, 30), (0, 4)])
def test_height_first_matches_transformers_bit_for_bit(height, width):
    # transformers' build_2d_sinusoidal_position_embedding, on grids that are not square
    expected = build_2d_sinusoidal_position_embedding(height, width, embed_dim=32, temperature=100.0)
    assert torch.equal(SinusoidGrid(32, base=100.0, first="height")(height, width), expected)


def test_rows_are_rounded_once():
    grid = SinusoidGrid(32)
    exact = grid(7, 7)
    assert torch.equal(grid.to(torch.bfloat16)(7, 7, dtype=torch.bfloat16), exact.bfloat16())


@pytest.mark.parametrize("embedding_dim", [0, 6])
def test_dimension_that_is_not_a_multiple_of_4_raises(embedding_dim):
    with pytest.raises(UsageError, match=f"embedding_dim must be a multiple of 4, not {embedding_dim}"):
        SinusoidGrid(embedding_dim)


def test_unknown_first_raises():
    with pytest.raises(UsageError, match="first must be 'width' or 'height', not 'x'"):
        SinusoidGrid(8, first="x")
