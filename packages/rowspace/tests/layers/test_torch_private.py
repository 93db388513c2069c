import torch
from torch.func import grad, vmap

from rowspace.layers import _torch_private


def test_installed_torch_was_checked() -> None:
    release = ".".join(torch.__version__.split(".")[:2])
    assert release in _torch_private.CHECKED_VERSIONS, (
        f"torch {torch.__version__} is installed, but the private functions in rowspace/layers/_torch_private.py were "
        f"checked with {', '.join(_torch_private.CHECKED_VERSIONS)} only; run tests/layers, use the public API where "
        f"there is one now, and add {release} to CHECKED_VERSIONS"
    )


def test_is_transform_active_only_inside_a_transform() -> None:
    found = []

    def function(value: torch.Tensor) -> torch.Tensor:
        found.append(_torch_private.is_transform_active())
        return value.sum()

    function(torch.ones(2))
    grad(function)(torch.ones(2))
    vmap(function)(torch.ones(2, 2))
    assert found == [False, True, True]
