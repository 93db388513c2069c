"""Functions that Python runs as written and that kernels compile to instructions of our choice."""

import inspect
from collections.abc import Callable
from typing import Any

from numba.extending import lower_builtin, type_callable

__all__ = ["emits"]

Emitter = Callable[[Any, Any, Any, Any], Any]


def emits(meaning: Callable[..., object], *, takes: list[Any], returns: Any) -> Callable[[Emitter], Emitter]:
    """Compile each call of `meaning` in a kernel to the instructions that the decorated function emits.

    Args:
        meaning: The function in Python, which runs with `NUMBA_DISABLE_JIT=1`.
        takes: Numba's types of the arguments.
        returns: Numba's type of the result.
    """

    def infer(*_: Any) -> Any:
        return returns

    vars(infer)["pysig"] = inspect.signature(meaning)  # where Numba looks for the parameters
    type_callable(meaning)(lambda _: infer)
    decorator: Callable[[Emitter], Emitter] = lower_builtin(meaning, *takes)
    return decorator
