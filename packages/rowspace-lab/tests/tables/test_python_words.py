"""The table of Python's words, which the library keeps."""

from pathlib import Path

import numpy as np
import pytest

from rowspace.learn.default_table import default_table_path
from rowspace.table import Table
from rowspace_lab.tables.python_words import PYTHON


def test_kept_table_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    default_table_path().parent.mkdir()
    Table(["typeerror", "sin"], np.eye(2)).save(default_table_path())
    lab = PYTHON.open()
    assert (lab.id, list(lab.table), lab.path) == ("python-words", ["typeerror", "sin"], str(default_table_path()))
