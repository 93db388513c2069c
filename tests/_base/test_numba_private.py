"""The private API of Numba still does what `jit.py` needs."""

import importlib
import os
import sys
from pathlib import Path

import numba
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
