"""The one way in which rowspace compiles a kernel: cached on disk, free of the interpreter lock, announced once.

A kernel is a plain function on arrays, in its folder's `kernels.py` or `kernels/`, that allocates nothing. It is
compiled without Numba's reference counts, which took half of the scanner's time and make threads wait for each other.
With `NUMBA_DISABLE_JIT=1` it runs as plain Python, which is how the tests measure its coverage. Compiled code is kept
next to the source, or, where that folder cannot be written, in the user's cache directory (Numba's own rule;
`NUMBA_CACHE_DIR` names another).

With `ROWSPACE_CHECK_BOUNDS=1` every index of every kernel is checked: one outside its array raises `IndexError` instead
of touching memory that is not its own. Kernels compiled this way are several times slower and are never cached, so they
cannot take the place of the fast ones.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import numba
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher

__all__ = ["CHECK_BOUNDS", "KERNELS", "compile_kernel", "kernel"]

Function = TypeVar("Function", bound=Callable[..., object])

# Sums may be reordered and fused, which vectorizes them; NaN and infinity keep their meaning.
FAST_SUMS = {"reassoc", "contract", "arcp", "nsz"}

CHECK_BOUNDS = os.environ.get("ROWSPACE_CHECK_BOUNDS") == "1"
KERNELS: list[Callable[..., object]] = []  # every kernel of the modules that are imported, as it is called


def kernel(function: Function) -> Function:
    """Compile `function` on its first call for each set of argument types.

    >>> @kernel
    ... def double(x: float) -> float:
    ...     return 2 * x
    >>> double(2.0)
    4.0
    """
    compiled = compile_kernel(function, check_bounds=CHECK_BOUNDS)
    KERNELS.append(compiled)
    return compiled


def compile_kernel(function: Function, *, check_bounds: bool) -> Function:
    """Like `kernel`, with or without checked indexes."""
    # Only a function that lives in a file can be cached; one typed at a prompt or in a doctest cannot.
    cached = not check_bounds and not function.__code__.co_filename.startswith("<")
    options = {"nogil": True, "error_model": "numpy", "fastmath": FAST_SUMS, "_nrt": False}
    compiled = numba.njit(cache=cached, boundscheck=check_bounds, **options)(function)
    if cached and isinstance(compiled, Dispatcher) and Path(function.__code__.co_filename).parent.name == "kernels":
        compiled._cache = _FolderCache(function)  # type: ignore[attr-defined]
    return cast("Function", compiled)


class _FolderCache(FunctionCache):
    """Numba's cache on disk, discarded when any file of the kernel's folder has changed.

    Numba looks at the file of the kernel that is called only, and would miss a change in one that it calls.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        sources = sorted(Path(function.__code__.co_filename).parent.glob("*.py"))
        stamp = tuple((source.name, source.stat().st_mtime_ns, source.stat().st_size) for source in sources)
        self._cache_file = IndexDataCacheFile(self.cache_path, self._impl.filename_base, stamp)


class _Announcer(event.Listener):
    """Says once, on standard error, that a kernel is being compiled rather than read from the cache."""

    announced = False

    def on_start(self, event: event.Event) -> None:
        """Called by numba when a real compilation starts; a kernel found in the cache starts none."""
        module = event.data["dispatcher"].py_func.__module__
        if not self.announced and module.startswith("rowspace."):
            self.announced = True
            print(
                "rowspace: compiling kernels for this processor; it takes some seconds, once, and is kept",
                file=sys.stderr,
            )

    def on_end(self, event: event.Event) -> None:
        """Nothing to say when it ends."""


event.register("numba:compile", _Announcer())
