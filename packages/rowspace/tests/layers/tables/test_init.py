import pytest
import torch

from rowspace.layers import LearnedPosition, PatchEmbedding, RelativeBias
from rowspace.layers.tables.init import init_rows_


def filled(init: object, **options: object) -> torch.Tensor:
    torch.manual_seed(0)
    weight = torch.empty(1000, 400)
    init_rows_(weight, init, **options)
    return weight


@pytest.mark.parametrize(
    ("init", "deviation"), [("normal", 0.02), ("inverse_sqrt", 0.05), ("xavier", (2 / 1400) ** 0.5)]
)
def test_standard_deviation(init: str, deviation: float) -> None:
    weight = filled(init)
    assert weight.std().item() == pytest.approx(deviation, rel=0.01)
    assert abs(weight.mean().item()) < 0.01 * deviation


def test_xavier_matches_torch() -> None:
    ours = filled("xavier")
    torch.manual_seed(0)
    assert torch.equal(ours, torch.nn.init.xavier_uniform_(torch.empty(1000, 400)))


def test_function_fills_all_rows_except_padding() -> None:
    weight = filled(torch.nn.init.ones_, padding_idx=3)
    assert weight.sum() == 999 * 400
    assert weight[3].sum() == 0


@pytest.mark.parametrize("init", ["normal", "inverse_sqrt", "xavier"])
def test_generator_is_used_instead_of_the_default_one(init: str) -> None:
    seeded = filled(init)
    before = torch.get_rng_state()
    weight = torch.empty(1000, 400)
    init_rows_(weight, init, generator=torch.Generator().manual_seed(0))
    assert torch.equal(weight, seeded)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("module", [LearnedPosition(5, 4), RelativeBias(2), PatchEmbedding(2, 3, 4)])
def test_reset_parameters_accepts_a_generator(module: torch.nn.Module) -> None:
    torch.manual_seed(3)
    module.reset_parameters()
    seeded = module.weight.detach().clone()
    module.reset_parameters(torch.Generator().manual_seed(3))
    assert torch.equal(module.weight, seeded)
