import pytest
import torch

from rowspace.errors import UsageError
from rowspace.layers import RotaryPosition, permute_rotary


def project(hidden, weight, num_heads):
    return (hidden @ weight.t()).unflatten(-1, (num_heads, -1)).transpose(1, 2)


@pytest.mark.parametrize("rotary_dim", [None, 4])
def test_scores_do_not_change(rotary_dim):
    hidden, q, k = (torch.randn(*shape, dtype=torch.float64) for shape in ((2, 7, 16), (24, 16), (24, 16)))
    interleaved = RotaryPosition(8, layout="interleaved", rotary_dim=rotary_dim)
    half = RotaryPosition(8, rotary_dim=rotary_dim)
    before = interleaved(project(hidden, q, 3), project(hidden, k, 3))
    q, k = (permute_rotary(weight, 3, to="half", rotary_dim=rotary_dim) for weight in (q, k))
    after = half(project(hidden, q, 3), project(hidden, k, 3))
    torch.testing.assert_close(after[0] @ after[1].mT, before[0] @ before[1].mT)


def test_matches_the_converter_of_transformers():
    # convert_llama_weights_to_hf.py: view(heads, head_dim / 2, 2, in).transpose(1, 2).reshape(out, in)
    weight = torch.randn(24, 16)
    expected = weight.view(3, 4, 2, 16).transpose(1, 2).reshape(24, 16)
    assert torch.equal(permute_rotary(weight, 3, to="half"), expected)


@pytest.mark.parametrize("shape", [(12,), (12, 5), (12, 0)])
@pytest.mark.parametrize("rotary_dim", [None, 2, 4])
def test_round_trip(shape, rotary_dim):
    weight = torch.randn(shape)
    there = permute_rotary(weight, 2, to="half", rotary_dim=rotary_dim)
    assert torch.equal(permute_rotary(there, 2, to="interleaved", rotary_dim=rotary_dim), weight)


def test_number_of_rows_that_is_not_a_multiple_of_heads_raises():
    with pytest.raises(UsageError, match="weight has 10 rows, which is not a multiple of 4 heads"):
        permute_rotary(torch.randn(10, 3), 4, to="half")
