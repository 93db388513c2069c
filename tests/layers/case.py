"""One entry of the lists that the contract suite runs over: a module, and inputs it can be called with."""

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import nn


class Case(NamedTuple):
    name: str
    module: Callable[[], nn.Module]
    inputs: Callable[[], tuple[Any, ...]]
