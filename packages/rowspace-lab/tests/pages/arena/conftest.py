"""A cache and a working folder of their own, and a lab."""

from pathlib import Path

import numpy as np
import pytest

import rowspace as rs
from rowspace_lab.lab import Lab


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder; the page's own runs are in the cache next to it."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def lab() -> Lab:
    return Lab(rs.Table(["a"], np.ones((1, 1))), "some-table")
