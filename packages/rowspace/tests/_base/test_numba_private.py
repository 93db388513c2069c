"""The private API of Numba still does what `jit.py` needs."""

import importlib
import os
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from rowspace._base import _numba_private
from rowspace._base.jit import compile_kernel


def test_installed_numba_was_checked() -> None:
    release = ".".join(numba.__version__.split(".")[:2])
    assert release in _numba_private.CHECKED_VERSIONS, (
        f"numba {numba.__version__} is installed, but the private API in rowspace/_base/_numba_private.py was checked "
        f"with {', '.join(_numba_private.CHECKED_VERSIONS)} only; run the tests marked kernels and those of this file, "
        f"and add {release} to CHECKED_VERSIONS"
    )


def test_change_of_any_file_in_the_folder_discards_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "called.py").write_text("")
    (folder / "double.py").write_text("def double(x):\n    return 2 * x\n")

    monkeypatch.syspath_prepend(folder)

    def hits() -> int:
        """Load and call the kernel; return how often its code came from the cache."""
        monkeypatch.delitem(sys.modules, "double", raising=False)
        double = compile_kernel(importlib.import_module("double").double, check_bounds=False)
        assert double(2) == 4
        return sum(double.stats.cache_hits.values())

    assert [hits(), hits()] == [0, 1]
    os.utime(folder / "called.py", (0, 0))
    assert [hits(), hits()] == [0, 1]


def test_cache_that_names_a_removed_class_is_discarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    folder = tmp_path / "kernels"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)

    def run(class_name: str) -> int:
        """Write a module with a class and a kernel that takes it; call the kernel and return the cache's hits."""
        text = f"from typing import NamedTuple\n\nclass {class_name}(NamedTuple):\n    x: int\n\n"
        (folder / "taking.py").write_text(f"{text}def first(pair):\n    return pair.x\n")
        importlib.invalidate_caches()
        monkeypatch.delitem(sys.modules, "taking", raising=False)
        module = importlib.import_module("taking")
        first = compile_kernel(module.first, check_bounds=False)
        assert first(getattr(module, class_name)(5)) == 5
        return sum(first.stats.cache_hits.values())

    assert [run("Before"), run("Afterwards")] == [0, 0]


LIBRARY = """
import numba

def total(x):
    result = 0.0
    for i in numba.prange(x.size):
        result += x[i]
    return result

triple = numba.njit(parallel=True)(lambda x: 3 * x)
one_thread, parallel = numba.njit(total), numba.njit(parallel=True)(total)
"""


def test_functions_of_a_library_are_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "library.py").write_text(LIBRARY)

    def hits() -> list[int]:
        """Import the library anew, call its functions, and return how often the code of each came from the cache."""
        monkeypatch.delitem(sys.modules, "library", raising=False)
        library = importlib.import_module("library")
        _numba_private.cache_functions(library)
        functions = library.triple, library.one_thread, library.parallel
        assert [np.sum(function(np.ones(3))) for function in functions] == [9, 3, 3]
        return [sum(function.stats.cache_hits.values()) for function in functions]

    assert [hits(), hits()] == [[0, 0, 0], [1, 1, 0]]
