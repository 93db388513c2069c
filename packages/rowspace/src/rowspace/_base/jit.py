"""Compile kernels with Numba: cached on disk, without the interpreter lock, with a message on the first compilation.

A kernel is a plain function on arrays, in its folder's `kernels.py` or `kernels/`, that allocates nothing. It is
compiled without Numba's reference counts, which took half of the scanner's time and make threads wait for each other.
With `NUMBA_DISABLE_JIT=1` it runs as plain Python, which is how the tests measure its coverage. Compiled code is cached
next to the source, or in the user's cache directory if that folder is not writable (Numba's own rule;
`NUMBA_CACHE_DIR` overrides it).

With `ROWSPACE_CHECK_BOUNDS=1` every index of every kernel is checked: one outside its array raises `IndexError` instead
of accessing memory outside it. Kernels compiled this way are several times slower and are never cached, so they cannot
replace the fast ones.
"""

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, event
from numba.extending import lower_builtin, type_callable
from numpy.typing import NDArray

from rowspace._base._numba_private import WITHOUT_REFERENCE_COUNTS, cache_by_folder, cache_functions

__all__ = [
    "CHECK_BOUNDS",
    "KERNELS",
    "cache_functions",
    "compile_kernel",
    "emits",
    "exact_kernel",
    "kernel",
    "prefetch",
]

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


Function = TypeVar("Function", bound=Callable[..., object])

# Sums may be reordered and fused, which vectorizes them; NaN and infinity keep their meaning.
FAST_SUMS = {"reassoc", "contract", "arcp", "nsz"}

CHECK_BOUNDS = os.environ.get("ROWSPACE_CHECK_BOUNDS") == "1"
KERNELS: list[Callable[..., object]] = []  # the compiled kernels of all imported modules


def kernel(function: Function) -> Function:
    """Compile `function` on its first call for each set of argument types.

    Args:
        function: A plain function on arrays and numbers that allocates nothing.

    Returns:
        The compiled function, which is also appended to `KERNELS`.

    >>> @kernel
    ... def double(x: float) -> float:
    ...     return 2 * x
    >>> double(2.0)
    4.0
    """
    compiled = compile_kernel(function, check_bounds=CHECK_BOUNDS)
    KERNELS.append(compiled)
    return compiled


def exact_kernel(function: Function) -> Function:
    """Compile `function` as `kernel` does, with every sum in the order in which it is written.

    Args:
        function: A plain function on arrays and numbers that allocates nothing.
    """
    compiled = compile_kernel(function, check_bounds=CHECK_BOUNDS, exact_sums=True)
    KERNELS.append(compiled)
    return compiled


def compile_kernel(function: Function, *, check_bounds: bool, exact_sums: bool = False) -> Function:
    """Compile `function` as `kernel` does, without adding it to `KERNELS`.

    Args:
        function: A plain function on arrays and numbers that allocates nothing.
        check_bounds: Raise `IndexError` for an index outside its array; such code is not cached.
        exact_sums: Do not reorder sums.

    Returns:
        The compiled function.
    """
    # Numba can cache only a function from a file, not one typed at a prompt or in a doctest.
    cached = not check_bounds and not function.__code__.co_filename.startswith("<")
    fast = False if exact_sums else FAST_SUMS
    options = {"nogil": True, "error_model": "numpy", "fastmath": fast, **WITHOUT_REFERENCE_COUNTS}
    compiled = numba.njit(cache=cached, boundscheck=check_bounds, **options)(function)
    if cached and Path(function.__code__.co_filename).parent.name == "kernels":
        cache_by_folder(compiled)
    return cast("Function", compiled)


class _Announcer(event.Listener):
    """Print one line to standard error when the first kernel is compiled rather than read from the cache."""

    is_announced = False

    def on_start(self, event: event.Event) -> None:
        """Numba calls this when it starts to compile, and not when it finds the kernel in its cache."""
        module = event.data["dispatcher"].py_func.__module__
        if not self.is_announced and module.startswith("rowspace."):
            self.is_announced = True
            print(
                "rowspace: compiling kernels for this processor; this takes some 10 seconds, once, and is "
                "cached; for the image of a container, run rowspace compile",
                file=sys.stderr,
            )

    def on_end(self, event: event.Event) -> None:
        """Do nothing; the interface requires it."""


event.register("numba:compile", _Announcer())


def prefetch(array: NDArray[Any], row: int) -> None:
    """Fetch the first numbers of `array[row]` into the cache; the result of a kernel does not depend on it.

    The rows that a step needs are far apart, so that the first access to each waits for memory; the processor fetches
    the rest of a row by itself. Without it, a step of 30,000 to 128,000 rows under AdamW takes 8 to 12 % more processor
    time, and a classifier learns a million texts in 13 % more.
    """


@emits(prefetch, takes=[types.Array, types.Integer], returns=types.none)
def _(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """One `llvm.prefetch` for reading, into all levels of the cache."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    row = context.cast(builder, arguments[1], signature.args[1], types.intp)
    indices = [row] + [ir.Constant(row.type, 0)] * (signature.args[0].ndim - 1)
    address = cgutils.get_item_pointer(context, builder, signature.args[0], array, indices, wraparound=False)
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")  # renamed by newer LLVM
    builder.call(function, [builder.bitcast(address, byte), number(0), number(3), number(1)])
    return context.get_dummy_value()
