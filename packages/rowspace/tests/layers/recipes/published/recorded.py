"""What the first block of a model of transformers receives, and its queries before and after rotation: `recorded`."""

import contextlib
import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

__all__ = ["Recording", "Rotation", "recorded"]

STATES = ("hidden_states", "hidden_state", "x", "inputs_embeds", "embeddings", "hidden_states_1", "input")
QUERIES, KEYS = ("q", "query", "xq", "query_states", "tensor", "x"), ("k", "key", "xk", "key_states")
AT_MOST = 8


class Rotation(NamedTuple):
    """One call of a function that rotates: q and k before, q after, all with the axis of tokens as in the model."""

    function: str
    q: Tensor
    k: Tensor
    rotated: Tensor
    axis: int  # of the tokens


class Recording(NamedTuple):
    """The inputs of the first module of each list of modules, in the order of the calls, and the rotations."""

    first_blocks: list[tuple[str, Tensor]]
    rotations: list[Rotation]
    problem: str


@torch.no_grad()
def recorded(model: nn.Module, inputs: dict[str, Any]) -> Recording:
    """Run a model once."""
    found = Recording([], [], "")
    handles = [
        module[0].register_forward_pre_hook(_keep_first(name, found.first_blocks), with_kwargs=True)
        for name, module in model.named_modules()
        if (isinstance(module, nn.ModuleList) or (isinstance(module, nn.Sequential) and name.endswith(".layers")))
        and len(module)
    ]
    problem = ""
    with _rotations_kept(model, found.rotations):
        try:
            model(**inputs)
        except Exception as error:  # an input that this model does not accept
            problem = f"{' and '.join(inputs)}: {type(error).__name__}: {error}"
    for handle in handles:
        handle.remove()
    return found._replace(problem=problem)


def _keep_first(name: str, kept: list[tuple[str, Tensor]]) -> Callable[..., None]:
    def hook(module: nn.Module, positional: Any, named: dict[str, Any]) -> None:
        likely = [*positional, *(named.get(each) for each in STATES), *named.values()]
        states = next((each for each in likely if _is_states(each)), None)
        if states is not None and len(kept) < AT_MOST:
            kept.append((name, states.detach().clone()))

    return hook


def _is_states(value: Any) -> bool:
    return torch.is_tensor(value) and value.is_floating_point() and value.dim() >= 3


@contextlib.contextmanager
def _rotations_kept(model: nn.Module, kept: list[Rotation]) -> Iterator[None]:
    """Wrap each function `apply_..._rot...` of the modules that the model's code is in."""
    names = {type(module).__module__ for module in model.modules()}
    undo = []
    for code in map(importlib.import_module, sorted(name for name in names if name.startswith("transformers.models."))):
        for name, function in list(vars(code).items()):
            if inspect.isfunction(function) and name.startswith("apply_") and "rot" in name and "vision" not in name:
                setattr(code, name, _keep_rotation(name, function, kept))
                undo.append((code, name, function))
    try:
        yield
    finally:
        for code, name, function in undo:
            setattr(code, name, function)


def _keep_rotation(name: str, function: Callable[..., Any], kept: list[Rotation]) -> Callable[..., Any]:
    signature = inspect.signature(function)

    def wrapper(*positional: Any, **named: Any) -> Any:
        given = signature.bind(*positional, **named).arguments
        before = {key: value.detach().clone() for key, value in given.items() if torch.is_tensor(value)}
        result = function(*positional, **named)
        q = next((before[key] for key in QUERIES if key in before), None)
        if q is not None and q.dim() == 4 and len(kept) < AT_MOST:
            after = result[0] if isinstance(result, (tuple, list)) else result
            k = next((before[key] for key in KEYS if key in before), q)
            axis = 1 if given.get("unsqueeze_dim", 1) == 2 or q.shape[2] not in (1, 9) else 2
            kept.append(Rotation(name, q, k, after.detach().clone(), axis))
        return result

    return wrapper
