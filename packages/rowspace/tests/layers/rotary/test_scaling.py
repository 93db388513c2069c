import pytest
import torch

from rowspace.errors import UsageError
from rowspace.layers import (
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    LongRopeScaling,
    RotaryPosition,
    YarnScaling,
    rotary_frequencies,
)

# Parity of every scaling with transformers is in test_config.py.


def test_linear_scaling_equals_a_change_of_positions():
    scaled, _ = RotaryPosition(16, scaling=LinearScaling(4.0)).angles(torch.arange(0, 64, 4))
    plain, _ = RotaryPosition(16).angles(torch.arange(16))
    assert torch.equal(scaled, plain)


def test_dynamic_scaling_is_continuous():
    scaling = DynamicScaling(4.0, max_positions=512)
    plain = rotary_frequencies(16)
    assert torch.equal(scaling.at_length(plain, 10000.0, torch.tensor(512)), plain)


def test_yarn_scales_only_low_frequencies():
    frequencies, plain = YarnScaling(8.0, 2048).frequencies(64, 10000.0), rotary_frequencies(64)
    assert frequencies[0] == plain[0]
    assert frequencies[-1] == plain[-1] / 8


@pytest.mark.parametrize(
    "scaling",
    [
        LinearScaling(4.0),
        YarnScaling(8.0, 2048),
        LongRopeScaling((1.1,) * 8, (1.7,) * 8, original_max_positions=64, factor=8.0),
        Llama3Scaling(8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_positions=64),
    ],
    ids=lambda scaling: type(scaling).__name__,
)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_frequencies_do_not_depend_on_the_default_dtype(scaling, dtype):
    expected = scaling.frequencies(16, 10000.0)
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)  # as `from_pretrained(dtype=...)` does while it builds a model
    try:
        found = scaling.frequencies(16, 10000.0)
    finally:
        torch.set_default_dtype(before)
    assert found.dtype == torch.float32
    assert torch.equal(found, expected)


def test_scalings_compare_by_value():
    assert YarnScaling(8.0, 2048) == YarnScaling(8.0, 2048)
    assert YarnScaling(8.0, 2048) != YarnScaling(8.0, 2048, truncate=False)


@pytest.mark.parametrize("factor", [0, -2.0])
def test_factor_that_is_not_positive_raises(factor):
    with pytest.raises(UsageError, match=f"factor must be above 0 and finite, not {factor}"):
        LinearScaling(factor)


def test_too_few_components_for_dynamic_scaling_raise():
    with pytest.raises(UsageError, match="dynamic scaling needs 4 rotated components or more, not 2"):
        RotaryPosition(2, scaling=DynamicScaling(2.0, 8))
