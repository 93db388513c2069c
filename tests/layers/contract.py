"""What the contract suite runs over: every case of `cases_*.py`, and how a case is built, called and compared."""

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
    """The lists of all files `cases_*.py` beside this one, in the order of their names."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("cases_*.py"))
    return [case for name in names for case in importlib.import_module(f"tests.layers.{name}").CASES]


CASES = all_cases()
# Recipes are compositions of the other modules, which keep the whole contract.
MODULE_CASES = [case for case in CASES if case.name.split()[0] not in RECIPE_NAMES]


def made(case: Case, *, seed: int = 0) -> nn.Module:
    """The module of a case, with weights that the seed decides, in eval mode."""
    torch.manual_seed(seed)
    return case.module().eval()


def tensors(tree: Any) -> list[Tensor]:
    """All tensors of what a module gives, or is given."""
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, Tensor)]


def floats(tree: Any) -> list[Tensor]:
    """Those of them that have a gradient."""
    return [tensor for tensor in tensors(tree) if tensor.is_floating_point()]


def mapped(change: Any, tree: Any) -> Any:
    """The same with each tensor changed."""
    return pytree.tree_map_only(Tensor, change, tree)


def learned(module: nn.Module) -> dict[str, Tensor]:
    """Copies of the parameters that want a gradient, by name."""
    return {name: weight.detach().clone() for name, weight in module.named_parameters() if weight.requires_grad}


def loss_at(module: nn.Module, weights: dict[str, Tensor], inputs: tuple[Any, ...]) -> Tensor:
    """A number that depends on all that the module gives, as a function of its weights; float32 at least."""
    outputs = floats(functional_call(module, weights, inputs))
    return torch.stack([(output * output.detach().cos()).sum() for output in outputs]).sum()


def assert_same(actual: Any, expected: Any, *, rtol: float = 0.0, atol: float = 0.0) -> None:
    """Equal in values, shapes and dtypes; to the last bit unless a tolerance is given."""
    assert pytree.tree_structure(actual) == pytree.tree_structure(expected)
    torch.testing.assert_close(tensors(actual), tensors(expected), rtol=rtol, atol=atol)
