"""The cases of the contract suite, from `cases_*.py`, and functions that build, call and compare them."""

import importlib
from pathlib import Path
from typing import Any

import torch
from tests.layers.case import Case
from tests.layers.cases_recipes import RECIPE_NAMES
from torch import Tensor, nn
from torch.func import functional_call
from torch.utils import _pytree as pytree


def all_cases() -> list[Case]:
    """The lists of all files `cases_*.py` next to this one, sorted by name."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("cases_*.py"))
    return [case for name in names for case in importlib.import_module(f"tests.layers.{name}").CASES]


CASES = all_cases()
# Recipes are compositions of the other modules, so some tests run without them.
MODULE_CASES = [case for case in CASES if case.name.split()[0] not in RECIPE_NAMES]


def made(case: Case, *, seed: int = 0) -> nn.Module:
    """The module of a case in eval mode, with seeded weights."""
    torch.manual_seed(seed)
    return case.module().eval()


def tensors(tree: Any) -> list[Tensor]:
    """All tensors of inputs or outputs."""
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, Tensor)]


def floats(tree: Any) -> list[Tensor]:
    """The floating-point tensors of inputs or outputs."""
    return [tensor for tensor in tensors(tree) if tensor.is_floating_point()]


def mapped(change: Any, tree: Any) -> Any:
    """The same tree with `change` applied to each tensor."""
    return pytree.tree_map_only(Tensor, change, tree)


def learned(module: nn.Module) -> dict[str, Tensor]:
    """Copies of the parameters that require a gradient, by name."""
    return {name: weight.detach().clone() for name, weight in module.named_parameters() if weight.requires_grad}


def loss_at(module: nn.Module, weights: dict[str, Tensor], inputs: tuple[Any, ...]) -> Tensor:
    """A scalar that depends on all outputs of the module, as a function of its weights."""
    outputs = floats(functional_call(module, weights, inputs))
    return torch.stack([(output * output.detach().cos()).sum() for output in outputs]).sum()


def assert_same(actual: Any, expected: Any, *, rtol: float = 0.0, atol: float = 0.0) -> None:
    """Check that values, shapes and dtypes are equal, bit for bit unless a tolerance is passed."""
    assert pytree.tree_structure(actual) == pytree.tree_structure(expected)
    torch.testing.assert_close(tensors(actual), tensors(expected), rtol=rtol, atol=atol)
