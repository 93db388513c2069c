import pytest
import torch

from rowspace.layers.initial import fill


def filled(init: object, **options: object) -> torch.Tensor:
    torch.manual_seed(0)
    weight = torch.empty(1000, 400)
    fill(weight, init, **options)
    return weight


@pytest.mark.parametrize(
    ("init", "deviation"), [("normal", 0.02), ("inverse_sqrt", 0.05), ("xavier", (2 / 1400) ** 0.5)]
)
def test_standard_deviation(init: str, deviation: float) -> None:
    weight = filled(init)
    assert weight.std().item() == pytest.approx(deviation, rel=0.01)
    assert abs(weight.mean().item()) < 0.01 * deviation


def test_xavier_is_that_of_torch() -> None:
    ours = filled("xavier")
    torch.manual_seed(0)
    assert torch.equal(ours, torch.nn.init.xavier_uniform_(torch.empty(1000, 400)))


def test_function_fills_all_but_the_padding() -> None:
    weight = filled(torch.nn.init.ones_, padding_idx=3)
    assert weight.sum() == 999 * 400
    assert weight[3].sum() == 0
