"""Numba's private API, which may change with any release: every use of it is in this module.

`CHECKED_VERSIONS` lists the releases that it was checked with; a test compares it with the installed one.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher

__all__ = ["CHECKED_VERSIONS", "WITHOUT_REFERENCE_COUNTS", "cache_by_folder", "cache_functions"]

CHECKED_VERSIONS = ("0.61", "0.62", "0.63", "0.64", "0.65", "0.66", "0.67", "0.68")

WITHOUT_REFERENCE_COUNTS = {"_nrt": False}
"""Options of `numba.njit` for a function that allocates nothing."""


def cache_by_folder(compiled: Any) -> None:
    """Make the cache on disk of a compiled function depend on all files of its folder.

    Numba looks at the file of the function that is called only, and would miss a change in one that it calls.

    Args:
        compiled: What `numba.njit` returned: with `NUMBA_DISABLE_JIT=1` the function itself, which has no cache.
    """
    if isinstance(compiled, Dispatcher):
        compiled._cache = _FolderCache(compiled.py_func)  # type: ignore[attr-defined]  # private


def cache_functions(module: ModuleType) -> None:
    """Cache on disk what Numba compiles of another library's module, which else is compiled again in each process.

    Numba files code by the name of the Python function, so of a function that is wrapped with and without parallel
    loops only the latter is cached. If no folder can be written to, nothing is cached.

    Args:
        module: A module of functions that `numba.njit` wraps.
    """
    functions = [value for value in vars(module).values() if isinstance(value, Dispatcher)]
    wrapped = Counter(function.py_func for function in functions)
    for function in functions:
        if wrapped[function.py_func] == 1 or not function.targetoptions.get("parallel"):
            with suppress(RuntimeError):  # no folder for the cache
                function.enable_caching()


class _FolderCache(FunctionCache):
    """Numba's cache on disk, discarded when any file of the function's folder has changed."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        sources = sorted(Path(function.__code__.co_filename).parent.glob("*.py"))
        stamp = tuple((source.name, source.stat().st_mtime_ns, source.stat().st_size) for source in sources)
        self._cache_file = _IndexFile(self.cache_path, self._impl.filename_base, stamp)


class _IndexFile(IndexDataCacheFile):
    """The index of a cache, empty if it names a class that an earlier version of the package had."""

    def _load_index(self) -> dict[Any, Any]:
        try:
            index: dict[Any, Any] = super()._load_index()
        except (AttributeError, ImportError):
            return {}
        return index
