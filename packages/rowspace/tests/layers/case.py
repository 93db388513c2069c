"""One case of the contract suite: a module and inputs to call it with."""

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import nn


class Case(NamedTuple):
    name: str
    module: Callable[[], nn.Module]
    inputs: Callable[[], tuple[Any, ...]]
